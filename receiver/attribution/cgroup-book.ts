// SPDX-License-Identifier: Apache-2.0
/**
 * Cgroups with accounts of their own: they are not the sum of their living processes, so an exit moves
 * nothing here. Exclusive: own tasks only.
 *
 * Containers come and go for months. At the cap the longest inactive cgroups without a living slot
 * give way to new ones; their sums stay in `overflow`.
 */
import { EnergyAccount } from './energy-account.js';

export interface CgroupEntry {
  readonly id: bigint;
  readonly account: EnergyAccount;
  readonly seriesStartUnixMillis: number;
  /** Slots whose rows go here; only at zero may the entry give way. */
  liveSlots: number;
}

/** Evicted at once, so that a full table is not sorted for each new cgroup. */
const EVICTED_RATIO = 0.05;

export class CgroupBook {
  public readonly overflow = new EnergyAccount();
  public evictions = 0;
  private readonly entries = new Map<bigint, CgroupEntry>();
  /** Booking in which an eviction found nothing: not tried again in the same one. */
  private isFullSince = -1;

  public constructor(private readonly maxCgroups: number) {}

  public values(): IterableIterator<CgroupEntry> {
    return this.entries.values();
  }

  public has(id: bigint): boolean {
    return this.entries.has(id);
  }

  /** Undefined if there is no room: charge `overflow`. */
  public entryOf(id: bigint, booking: number, startUnixMillis: number): CgroupEntry | undefined {
    const known = this.entries.get(id);
    if (known !== undefined) return known;
    if (this.entries.size >= this.maxCgroups && !this.evict(booking)) return undefined;
    const entry: CgroupEntry = {
      id,
      account: new EnergyAccount(),
      seriesStartUnixMillis: startUnixMillis,
      liveSlots: 0,
    };
    this.entries.set(id, entry);
    return entry;
  }

  private evict(booking: number): boolean {
    if (this.isFullSince === booking) return false;
    const idle = [...this.entries.values()]
      .filter(({ liveSlots, account }) => liveSlots === 0 && account.lastBooking < booking)
      .sort((a, b) => a.account.lastBooking - b.account.lastBooking)
      .slice(0, Math.max(1, Math.floor(this.maxCgroups * EVICTED_RATIO)));
    for (const entry of idle) {
      this.entries.delete(entry.id);
      this.overflow.absorb(entry.account);
      this.evictions += 1;
    }
    if (idle.length === 0) this.isFullSince = booking;
    return idle.length > 0;
  }
}
