// SPDX-License-Identifier: Apache-2.0
/**
 * Entries of things that live, end and are forgotten once their final value was exported.
 *
 *   live --(end)--> ended --(exported, or too many are kept)--> retired: its sums move to `exited`
 */
import { EnergyAccount } from './energy-account.js';

export type LifeState = 'live' | 'ended' | 'retired';

export interface LifeEntry {
  readonly key: string;
  readonly account: EnergyAccount;
  state: LifeState;
}

export interface LifeLimits<Entry> {
  /** Living and ended ones that have an entry of their own. */
  readonly maxEntries: number;
  /** Ended ones kept until they are exported; the oldest give way. */
  readonly maxEnded: number;
  readonly onRetire?: (entry: Entry) => void;
}

export class LifeTable<Entry extends LifeEntry> {
  /** Retired entries: their sum. */
  public readonly exited = new EnergyAccount();
  /** Ended entries that gave way before anybody exported them. */
  public retiredEarly = 0;
  private readonly entries = new Map<string, Entry>();
  /** In the order in which they ended. */
  private readonly ended = new Map<string, Entry>();

  public constructor(private readonly limits: LifeLimits<Entry>) {}

  public values(): IterableIterator<Entry> {
    return this.entries.values();
  }

  public get size(): number {
    return this.entries.size;
  }

  public get(key: string): Entry | undefined {
    return this.entries.get(key);
  }

  /** After `makeRoom`. */
  public add(entry: Entry): void {
    this.entries.set(entry.key, entry);
  }

  /** Whether one more has room; the longest ended gives way. */
  public makeRoom(): boolean {
    if (this.entries.size < this.limits.maxEntries) return true;
    const oldest = this.ended.values().next().value;
    if (oldest === undefined) return false;
    this.retiredEarly += 1;
    this.retire(oldest);
    return true;
  }

  public end(entry: Entry): void {
    if (entry.state !== 'live') return;
    entry.state = 'ended';
    this.ended.set(entry.key, entry);
  }

  /** A row came after all: it was not the end. Its value only rose. */
  public revive(entry: Entry): void {
    if (entry.state !== 'ended') return;
    entry.state = 'live';
    this.ended.delete(entry.key);
  }

  /** Retires the longest ended until no more are kept than may be. */
  public keepLimit(): void {
    for (const entry of this.ended.values()) {
      if (this.ended.size <= this.limits.maxEnded) break;
      this.retiredEarly += 1;
      this.retire(entry);
    }
  }

  /** Its final value is out: the entry goes, its sums stay. Nothing happens while it lives. */
  public retireExported(key: string): void {
    const entry = this.ended.get(key);
    if (entry !== undefined) this.retire(entry);
  }

  /** Takes it out, ended or not; its sums are the caller's. */
  public remove(entry: Entry): void {
    entry.state = 'retired';
    this.ended.delete(entry.key);
    this.entries.delete(entry.key);
  }

  private retire(entry: Entry): void {
    this.remove(entry);
    this.exited.absorb(entry.account);
    this.limits.onRetire?.(entry);
  }
}
