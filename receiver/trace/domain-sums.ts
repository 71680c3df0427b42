// SPDX-License-Identifier: Apache-2.0
/** Sums of each energy domain's windows, and the proof that every one of them closed. Pure. */
import type { WindowAttribution } from '../attribution/attribute.js';
import { balanceDefect } from '../attribution/conservation.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import type { DomainBalance, DomainReading } from '../model/window.js';

export interface DomainSum {
  readonly domain: EnergyDomain;
  /** How its windows were split, with the number of windows. */
  readonly splits: Map<string, number>;
  measured: bigint;
  entities: bigint;
  idle: bigint;
  irq: bigint;
  igpu: bigint;
  readonly unattributed: Map<string, bigint>;
  advanced: number;
  rejected: number;
  failed: number;
}

const newSum = (domain: EnergyDomain): DomainSum => ({
  domain,
  splits: new Map(),
  measured: 0n,
  entities: 0n,
  idle: 0n,
  irq: 0n,
  igpu: 0n,
  unattributed: new Map(),
  advanced: 0,
  rejected: 0,
  failed: 0,
});

export class DomainSums {
  public readonly byId = new Map<string, DomainSum>();
  public balances = 0;
  /** Balances that did not close: none, or attribution has a defect. */
  public readonly defects: string[] = [];

  public book(
    index: bigint,
    readings: readonly DomainReading[],
    { balances, inconsistencies }: WindowAttribution,
  ): void {
    for (const { domain, step } of readings) {
      const sum = this.sumOf(domain);
      if (step._tag === 'Rejected') sum.rejected += 1;
      if (step._tag === 'Failed') sum.failed += 1;
      if (step._tag !== 'Advanced') continue;
      sum.advanced += 1;
      sum.measured += step.deltaMicrojoules;
    }
    for (const balance of balances) this.bookBalance(index, balance);
    for (const { domainId, detail } of inconsistencies)
      this.defects.push(`window ${index.toString()} ${domainId}: ${detail}`);
  }

  private bookBalance(index: bigint, balance: DomainBalance): void {
    const sum = this.sumOf(balance.domain);
    this.balances += 1;
    sum.splits.set(balance.split, (sum.splits.get(balance.split) ?? 0) + 1);
    sum.entities += balance.entitiesMicrojoules;
    sum.idle += balance.idleMicrojoules;
    sum.irq += balance.irqMicrojoules;
    sum.igpu += balance.igpuMicrojoules;
    for (const [reason, energy] of balance.unattributed)
      sum.unattributed.set(reason, (sum.unattributed.get(reason) ?? 0n) + energy);
    const defect = balanceDefect(balance);
    if (defect !== undefined)
      this.defects.push(`window ${index.toString()} ${balance.domain.id}: ${defect}`);
  }

  private sumOf(domain: EnergyDomain): DomainSum {
    const known = this.byId.get(domain.id);
    if (known !== undefined) return known;
    const made = newSum(domain);
    this.byId.set(domain.id, made);
    return made;
  }
}
