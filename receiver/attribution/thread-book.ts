// SPDX-License-Identifier: Apache-2.0
/**
 * Threads, only while somebody asks for them. From that moment on the book is whole, as that of the
 * processes is: Σ threads (living and ended) + exited + overflow = Σ processes.
 *
 * A thread has one slot per CPU domain it ran in, and ends when the last of them is dead. An ended one
 * stays until its final value was exported; for viewers alone until the next window, so that its last
 * part is seen.
 */
import type { TaskSample } from '../model/activity.js';
import { threadKey } from '../model/ledger-view.js';
import type { Nanos } from '../model/units.js';
import { EnergyAccount, type Charge } from './energy-account.js';
import { LifeTable, type LifeEntry, type LifeLimits } from './life-table.js';
import type { EntryTimes } from './process-book.js';
import type { EntitySums, Level } from './verify-ledger.js';
import { millisOf } from './wall-clock.js';

/** What names a process for ever, and when that was on the wall clock. */
export interface ThreadOwner {
  readonly pid: number;
  readonly startBoottimeNanos: Nanos;
  readonly startUnixMillis: number;
}

export interface ThreadEntry extends LifeEntry {
  readonly tid: number;
  readonly startBoottimeNanos: Nanos;
  readonly startUnixMillis: number;
  readonly process: ThreadOwner;
  readonly seriesStartUnixMillis: number;
  name: string;
  /** Living slots: one per CPU domain. */
  liveSlots: number;
}

const unixMillisOf = (startBoottimeNanos: Nanos, { bootUnixMillis }: EntryTimes): number =>
  bootUnixMillis + millisOf(startBoottimeNanos);

export class ThreadBook {
  /** Task time for which no thread had room, and task time without a slot. */
  public overflow = new EnergyAccount();
  /** Rows that found no room, since start. */
  public overflowRows = 0;
  /** Undefined while nobody asks for threads. */
  private table: LifeTable<ThreadEntry> | undefined;
  /** Beginning of the first window since threads were asked for. */
  private sinceUnixMillis: number | undefined;
  private before: EntitySums | undefined;

  public constructor(private readonly limits: LifeLimits<ThreadEntry>) {}

  public get isEnabled(): boolean {
    return this.table !== undefined;
  }

  public get exited(): EnergyAccount {
    return this.table?.exited ?? new EnergyAccount();
  }

  public get size(): number {
    return this.table?.size ?? 0;
  }

  /** Totals begin at zero each time threads are asked for; `before`: what entities were given until then. */
  public enable(isEnabled: boolean, before: EntitySums): void {
    if (this.isEnabled === isEnabled) return;
    this.before = before;
    // Slots that still point to an entry look for another one when threads are asked for again.
    for (const entry of this.values()) entry.state = 'retired';
    this.table = isEnabled ? new LifeTable<ThreadEntry>(this.limits) : undefined;
    this.overflow = new EnergyAccount();
    this.sinceUnixMillis = undefined;
  }

  public values(): Iterable<ThreadEntry> {
    return this.table?.values() ?? [];
  }

  /** For the check that the ledger closes: nothing while nobody asks for threads. */
  public levels(): readonly Level[] {
    if (this.table === undefined) return [];
    const accounts = [...this.values()].map(({ account }) => account);
    return [
      { name: 'threads', accounts: [...accounts, this.exited, this.overflow], before: this.before },
    ];
  }

  /** Before the rows of a window. */
  public openWindow({ windowStartUnixMillis }: EntryTimes): void {
    this.sinceUnixMillis ??= windowStartUnixMillis;
    this.table?.keepLimit();
  }

  /**
   * The entry of the sample's thread; undefined if there is no room. `isLate`: the thread was charged
   * elsewhere before, so its series begins with this window.
   */
  public entryOf(
    task: TaskSample,
    owner: ThreadOwner | undefined,
    times: EntryTimes,
    isLate: boolean,
  ): ThreadEntry | undefined {
    const key = threadKey(task.tid, task.startBoottimeNanos);
    const known = this.table?.get(key);
    if (known !== undefined) return known;
    if (this.table?.makeRoom() !== true) return undefined;
    const startUnixMillis = unixMillisOf(task.startBoottimeNanos, times);
    const isChargedSince = isLate ? times.windowStartUnixMillis : startUnixMillis;
    const since = this.sinceUnixMillis ?? times.windowStartUnixMillis;
    const entry: ThreadEntry = {
      key,
      tid: task.tid,
      startBoottimeNanos: task.startBoottimeNanos,
      startUnixMillis,
      process: owner ?? {
        pid: task.tgid,
        startBoottimeNanos: task.processStartBoottimeNanos,
        startUnixMillis: unixMillisOf(task.processStartBoottimeNanos, times),
      },
      seriesStartUnixMillis: Math.max(isChargedSince, since, times.ledgerStartUnixMillis),
      account: new EnergyAccount(),
      state: 'live',
      name: task.comm,
      liveSlots: 0,
    };
    this.table.add(entry);
    return entry;
  }

  /** A row's charge to its thread; undefined: there was no room. Nothing while nobody asks. */
  public charge(booking: number, entry: ThreadEntry | undefined, charge: Charge): void {
    if (this.table === undefined) return;
    if (entry === undefined) this.overflowRows += 1;
    (entry?.account ?? this.overflow).add(booking, charge);
  }

  /** Task time without a slot is some thread's, too. */
  public chargeSlotless(booking: number, charge: Charge): void {
    if (this.table !== undefined) this.overflow.add(booking, charge);
  }

  public attachSlot(entry: ThreadEntry): void {
    entry.liveSlots += 1;
    this.table?.revive(entry);
  }

  public detachSlot(entry: ThreadEntry): void {
    entry.liveSlots = Math.max(0, entry.liveSlots - 1);
    if (entry.liveSlots === 0) this.table?.end(entry);
  }

  public retireExported(tid: number, startBoottimeNanos: Nanos): void {
    this.table?.retireExported(threadKey(tid, startBoottimeNanos));
  }

  /** Ends threads of which nobody has seen the end. */
  public endVanished(isAlive: (tid: number, startBoottimeNanos: Nanos) => boolean): number {
    const gone = [...this.values()].filter(
      (entry) => entry.state === 'live' && !isAlive(entry.tid, entry.startBoottimeNanos),
    );
    for (const entry of gone) {
      entry.liveSlots = 0;
      this.table?.end(entry);
    }
    return gone.length;
  }
}
