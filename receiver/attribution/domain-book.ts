// SPDX-License-Identifier: Apache-2.0
/** Energy domains since start: what was accepted, where it went, and which windows were not. */
import type { EnergyDomain, SplitMethod } from '../model/energy-domain.js';
import { assertNever } from '../model/errors.js';
import type { CoverageKind, DomainTotals } from '../model/ledger-view.js';
import { addMicrojoules, nanos, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules, Nanos } from '../model/units.js';
import type {
  DomainBalance,
  DomainReading,
  FailReason,
  RejectReason,
  UnattributedReason,
} from '../model/window.js';

interface DomainEntry {
  domain: EnergyDomain;
  split: SplitMethod;
  acceptedMicrojoules: Microjoules;
  entitiesMicrojoules: Microjoules;
  idleMicrojoules: Microjoules;
  irqMicrojoules: Microjoules;
  igpuMicrojoules: Microjoules;
  countedShare: number;
  windowsAccepted: number;
  readonly coverage: Record<CoverageKind, Nanos>;
  readonly unattributed: Map<UnattributedReason, Microjoules>;
  readonly windowsRejected: Map<RejectReason, number>;
  readonly windowsFailed: Map<FailReason, number>;
}

const newEntry = (domain: EnergyDomain): DomainEntry => ({
  domain,
  split: 'time',
  acceptedMicrojoules: ZERO_MICROJOULES,
  entitiesMicrojoules: ZERO_MICROJOULES,
  idleMicrojoules: ZERO_MICROJOULES,
  irqMicrojoules: ZERO_MICROJOULES,
  igpuMicrojoules: ZERO_MICROJOULES,
  countedShare: 0,
  windowsAccepted: 0,
  coverage: { accounted: nanos(0n), agent_down: nanos(0n), gap: nanos(0n) },
  unattributed: new Map(),
  windowsRejected: new Map(),
  windowsFailed: new Map(),
});

const increment = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const cover = (entry: DomainEntry, kind: CoverageKind, spanNanos: Nanos): void => {
  entry.coverage[kind] = nanos(entry.coverage[kind] + spanNanos);
};

export class DomainBook {
  private readonly entries = new Map<string, DomainEntry>();

  /** An attributed domain moves only by its balance, so that its parts always make up its total. */
  public book(readings: readonly DomainReading[], balances: readonly DomainBalance[]): void {
    for (const reading of readings) this.bookReading(reading);
    for (const balance of balances) this.bookBalance(balance);
  }

  /** Copies: a reader may keep them over later windows. */
  public totals(): readonly DomainTotals[] {
    return [...this.entries.values()].map((entry) => ({
      ...entry,
      coverage: { ...entry.coverage },
      unattributed: new Map(entry.unattributed),
      windowsRejected: new Map(entry.windowsRejected),
      windowsFailed: new Map(entry.windowsFailed),
    }));
  }

  /** Burned while no agent ran: measured, and nobody's. */
  public bookMissed(domain: EnergyDomain, energy: Microjoules, spanNanos: Nanos): void {
    const entry = this.entryOf(domain);
    cover(entry, 'agent_down', spanNanos);
    entry.acceptedMicrojoules = addMicrojoules(entry.acceptedMicrojoules, energy);
    if (!domain.isAttributed) return;
    const before = entry.unattributed.get('agent_down') ?? ZERO_MICROJOULES;
    entry.unattributed.set('agent_down', addMicrojoules(before, energy));
  }

  /** Nobody knows what was burned in it. */
  public bookGap(domain: EnergyDomain, spanNanos: Nanos): void {
    cover(this.entryOf(domain), 'gap', spanNanos);
  }

  private entryOf(domain: EnergyDomain): DomainEntry {
    const entry = this.entries.get(domain.id) ?? newEntry(domain);
    entry.domain = domain;
    this.entries.set(domain.id, entry);
    return entry;
  }

  private bookReading({ domain, step }: DomainReading): void {
    const entry = this.entryOf(domain);
    switch (step._tag) {
      case 'First':
        return;
      case 'Rejected':
        increment(entry.windowsRejected, step.reason);
        return;
      case 'Failed':
        increment(entry.windowsFailed, step.reason);
        return;
      case 'Advanced':
        if (domain.isAttributed || step.deltaMicrojoules < 0n) return;
        entry.windowsAccepted += 1;
        cover(entry, 'accounted', step.spanNanos);
        entry.acceptedMicrojoules = addMicrojoules(
          entry.acceptedMicrojoules,
          step.deltaMicrojoules,
        );
        return;
      default:
        assertNever(step);
    }
  }

  private bookBalance(balance: DomainBalance): void {
    const entry = this.entryOf(balance.domain);
    entry.split = balance.split;
    entry.countedShare = balance.countedShare;
    entry.windowsAccepted += 1;
    cover(entry, 'accounted', balance.spanNanos);
    entry.acceptedMicrojoules = addMicrojoules(entry.acceptedMicrojoules, balance.deltaMicrojoules);
    entry.entitiesMicrojoules = addMicrojoules(
      entry.entitiesMicrojoules,
      balance.entitiesMicrojoules,
    );
    entry.idleMicrojoules = addMicrojoules(entry.idleMicrojoules, balance.idleMicrojoules);
    entry.irqMicrojoules = addMicrojoules(entry.irqMicrojoules, balance.irqMicrojoules);
    entry.igpuMicrojoules = addMicrojoules(entry.igpuMicrojoules, balance.igpuMicrojoules);
    for (const [reason, energy] of balance.unattributed) {
      entry.unattributed.set(
        reason,
        addMicrojoules(entry.unattributed.get(reason) ?? ZERO_MICROJOULES, energy),
      );
    }
  }
}
