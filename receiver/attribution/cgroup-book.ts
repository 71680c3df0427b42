// SPDX-License-Identifier: Apache-2.0
/**
 * Cgroups with accounts of their own: they are not the sum of their living processes, so an exit moves
 * nothing here. Exclusive: own tasks only.
 *
 *   live --(its directory is gone and no task is left)--> ended
 *   ended --(exported, or too many ended ones are kept)--> retired: its sums move to `exited`
 *
 * Containers come and go for months. At the cap the longest inactive cgroups without a living slot
 * give way to new ones; their sums stay in `overflow`.
 */
import type { CgroupIdentity } from '../model/workload.js';
import { EnergyAccount } from './energy-account.js';
import { LifeTable, type LifeEntry } from './life-table.js';
import type { WorkloadTarget } from './workload-book.js';

export interface CgroupEntry extends LifeEntry {
  readonly id: bigint;
  readonly seriesStartUnixMillis: number;
  /** Slots whose rows go here; only at zero may the entry give way. */
  liveSlots: number;
  /** First owner of its tasks who is not root; undefined while there was none. */
  ownerUid: number | undefined;
  /** As which its joules so far were given to containers, pods, jobs and units; undefined: to nobody yet. */
  identity: CgroupIdentity | undefined;
  /** Accounts that follow this one; undefined while it is not bound to any. */
  targets: readonly WorkloadTarget[] | undefined;
}

export interface CgroupLimits {
  readonly maxEntries: number;
  /** Ended ones kept until they are exported; the oldest give way. */
  readonly maxEnded: number;
  /** It follows no more windows: its workloads may end with it. */
  readonly onEnd: (entry: CgroupEntry) => void;
  /** It is forgotten; `EnergyAccount` holds what nobody followed yet. */
  readonly onForget: (entry: CgroupEntry) => void;
}

/** Evicted at once, so that a full table is not sorted for each new cgroup. */
const EVICTED_RATIO = 0.05;

export class CgroupBook {
  /** Evicted cgroups, and charges for which there was no room. */
  public readonly overflow = new EnergyAccount();
  /** The second of these alone: they belong to no workload. */
  public readonly unplaced = new EnergyAccount();
  public evictions = 0;
  private readonly table: LifeTable<CgroupEntry>;
  /** Booking in which an eviction found nothing: not tried again in the same one. */
  private isFullSince = -1;

  public constructor(private readonly limits: CgroupLimits) {
    const { maxEntries, maxEnded, onForget } = limits;
    this.table = new LifeTable({ maxEntries, maxEnded, onRetire: onForget });
  }

  /** Retired cgroups: their sum. */
  public get exited(): EnergyAccount {
    return this.table.exited;
  }

  public values(): IterableIterator<CgroupEntry> {
    return this.table.values();
  }

  public has(id: bigint): boolean {
    return this.table.get(String(id)) !== undefined;
  }

  /** Undefined if there is no room: charge `overflow` and `unplaced`. */
  public entryOf(id: bigint, booking: number, startUnixMillis: number): CgroupEntry | undefined {
    const key = String(id);
    const known = this.table.get(key);
    if (known !== undefined) {
      this.table.revive(known);
      return known;
    }
    if (!this.table.makeRoom() && !this.evict(booking)) return undefined;
    const entry: CgroupEntry = {
      key,
      id,
      account: new EnergyAccount(),
      state: 'live',
      seriesStartUnixMillis: startUnixMillis,
      liveSlots: 0,
      ownerUid: undefined,
      identity: undefined,
      targets: undefined,
    };
    this.table.add(entry);
    return entry;
  }

  /**
   * Ends up to `maxChecks` of the cgroups that are idle and, as `isThere` says, removed; goes on
   * where it stopped the last time. Returns how many ended.
   */
  public endRemoved(booking: number, isThere: (id: bigint) => boolean, maxChecks: number): number {
    let checks = 0;
    let ended = 0;
    for (const entry of this.idleFrom(booking)) {
      if (checks >= maxChecks) break;
      checks += 1;
      this.lastChecked = entry.key;
      if (isThere(entry.id)) continue;
      this.table.end(entry);
      this.limits.onEnd(entry);
      ended += 1;
    }
    if (checks < maxChecks) this.lastChecked = undefined;
    return ended;
  }

  /** After all rows of a window. */
  public closeWindow(): void {
    this.table.keepLimit();
  }

  public retireExported(id: bigint): void {
    this.table.retireExported(String(id));
  }

  private lastChecked: string | undefined;

  /** Idle living entries behind the one that was checked last. */
  private *idleFrom(booking: number): Generator<CgroupEntry, void> {
    const start = this.lastChecked;
    let isPast = start === undefined || this.table.get(start) === undefined;
    for (const entry of this.table.values()) {
      if (isPast && isIdle(entry, booking)) yield entry;
      if (entry.key === start) isPast = true;
    }
  }

  private evict(booking: number): boolean {
    if (this.isFullSince === booking) return false;
    const idle = [...this.table.values()]
      .filter((entry) => isIdle(entry, booking))
      .sort((a, b) => a.account.lastBooking - b.account.lastBooking)
      .slice(0, Math.max(1, Math.floor(this.limits.maxEntries * EVICTED_RATIO)));
    for (const entry of idle) {
      this.table.remove(entry);
      this.overflow.absorb(entry.account);
      this.limits.onEnd(entry);
      this.limits.onForget(entry);
      this.evictions += 1;
    }
    if (idle.length === 0) this.isFullSince = booking;
    return idle.length > 0;
  }
}

const isIdle = ({ state, liveSlots, account }: CgroupEntry, booking: number): boolean =>
  state === 'live' && liveSlots === 0 && account.lastBooking < booking;
