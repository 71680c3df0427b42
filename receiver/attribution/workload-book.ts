// SPDX-License-Identifier: Apache-2.0
/**
 * One level above the cgroups (containers, pods, jobs or units), each with an account of its own that
 * follows those of its cgroups: what was spent in a container stays the container's when the cgroup
 * inside it is long gone. Whole: Σ entries + exited + overflow + outside = what the cgroups were given.
 */
import type { WorkloadFacts } from '../model/ledger-view.js';
import { EnergyAccount } from './energy-account.js';
import { LifeTable, type LifeEntry } from './life-table.js';

export interface WorkloadEntry extends LifeEntry {
  readonly seriesStartUnixMillis: number;
  facts: WorkloadFacts;
  /** Cgroups that charge it; at zero it has ended. */
  uses: number;
}

/** An account that follows a cgroup's; without an entry it is the overflow's or that of the outside. */
export interface WorkloadTarget {
  readonly book: WorkloadBook;
  readonly account: EnergyAccount;
  readonly entry: WorkloadEntry | undefined;
}

export interface WorkloadLimits {
  readonly maxEntries: number;
  readonly maxEnded: number;
}

export class WorkloadBook {
  /** Workloads for which there was no room. */
  public readonly overflow = new EnergyAccount();
  /** Cgroups that are in no such workload. */
  public readonly outside = new EnergyAccount();
  private readonly table: LifeTable<WorkloadEntry>;

  public constructor(limits: WorkloadLimits) {
    this.table = new LifeTable(limits);
  }

  public get exited(): EnergyAccount {
    return this.table.exited;
  }

  public values(): IterableIterator<WorkloadEntry> {
    return this.table.values();
  }

  /** `facts` undefined: the cgroup is in none. The target counts as used until it is released. */
  public bind(
    key: string | undefined,
    facts: WorkloadFacts | undefined,
    seriesStartUnixMillis: number,
  ): WorkloadTarget {
    if (key === undefined || facts === undefined) {
      return { book: this, account: this.outside, entry: undefined };
    }
    const entry = this.entryOf(key, facts, seriesStartUnixMillis);
    if (entry === undefined) return { book: this, account: this.overflow, entry };
    entry.uses += 1;
    return { book: this, account: entry.account, entry };
  }

  public release({ entry }: WorkloadTarget): void {
    if (entry === undefined) return;
    entry.uses -= 1;
    if (entry.uses <= 0) this.table.end(entry);
  }

  public closeWindow(): void {
    this.table.keepLimit();
  }

  public retireExported(key: string): void {
    this.table.retireExported(key);
  }

  public accounts(): readonly EnergyAccount[] {
    const own = [...this.table.values()].map(({ account }) => account);
    return [...own, this.exited, this.overflow, this.outside];
  }

  private entryOf(
    key: string,
    facts: WorkloadFacts,
    seriesStartUnixMillis: number,
  ): WorkloadEntry | undefined {
    const known = this.table.get(key);
    if (known !== undefined) {
      this.table.revive(known);
      // A job's owner is not learnt from its root-owned helpers.
      if (facts._tag !== 'job' || facts.uid !== undefined) known.facts = facts;
      return known;
    }
    if (!this.table.makeRoom()) return undefined;
    const entry: WorkloadEntry = {
      key,
      facts,
      account: new EnergyAccount(),
      state: 'live',
      seriesStartUnixMillis,
      uses: 0,
    };
    this.table.add(entry);
    return entry;
  }
}
