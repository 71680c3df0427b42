// SPDX-License-Identifier: Apache-2.0
/** Energy domains since start: what was accepted, where it went, and which windows were not. */
import type { EnergyDomain, SplitMethod } from '../model/energy-domain.js';
import { assertNever } from '../model/errors.js';
import type { DomainTotals } from '../model/ledger-view.js';
import { addMicrojoules, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules } from '../model/units.js';
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
  unattributed: new Map(),
  windowsRejected: new Map(),
  windowsFailed: new Map(),
});

const increment = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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
      unattributed: new Map(entry.unattributed),
      windowsRejected: new Map(entry.windowsRejected),
      windowsFailed: new Map(entry.windowsFailed),
    }));
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
