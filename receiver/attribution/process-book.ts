// SPDX-License-Identifier: Apache-2.0
/**
 * Processes from their first sample until their final value was exported.
 *
 *   live --(group dead seen and all slots dead, or its pid belongs to another)--> ended
 *   ended --(exported, or too many ended ones are kept)--> retired: its sums move to `exited`
 *
 * A process whose visible threads are all gone is not ended: threads of PID 1 are hidden on some
 * hosts, and only the kernel's word that the group is dead counts.
 */
import type { TaskSample } from '../model/activity.js';
import { processKey } from '../model/ledger-view.js';
import { nanos } from '../model/units.js';
import type { Nanos } from '../model/units.js';
import { EnergyAccount } from './energy-account.js';
import { LifeTable, type LifeEntry } from './life-table.js';

export interface ProcessEntry extends LifeEntry {
  readonly pid: number;
  readonly startBoottimeNanos: Nanos;
  readonly startUnixMillis: number;
  readonly seriesStartUnixMillis: number;
  parentPid: number;
  /** As the kernel calls its leader; `name` is made from it. */
  comm: string;
  name: string;
  uid: number;
  isKernelThread: boolean;
  cgroupId: bigint;
  hasGroupDied: boolean;
  /** A row of the leader was seen: name and owner are no longer hearsay. */
  hasLeaderSpoken: boolean;
  /** Living slots: a thread has one per CPU domain it ran in. */
  liveSlots: number;
  /** Living slots by thread; empty once ended. */
  readonly slotsByTid: Map<number, number>;
}

export interface ProcessLimits {
  /** Living and ended ones that have an entry of their own. */
  readonly maxProcesses: number;
  /** Ended ones kept until they are exported; the oldest give way. */
  readonly maxExited: number;
  /** What a process is called whose leader has this `comm`; asked when it changes. */
  readonly nameOf: (pid: number, comm: string) => string;
}

/** When things are, on the wall clock, for entries made in the window being booked. */
export interface EntryTimes {
  readonly bootUnixMillis: number;
  readonly windowStartUnixMillis: number;
  readonly ledgerStartUnixMillis: number;
}

const NANOS_PER_MILLISECOND = 1_000_000n;

export class ProcessBook {
  /** Processes for which there was no room, and task time without a slot. */
  public readonly overflow = new EnergyAccount();
  private readonly table: LifeTable<ProcessEntry>;
  private readonly byPid = new Map<number, ProcessEntry>();
  private readonly replaced: ProcessEntry[] = [];

  public constructor(private readonly limits: ProcessLimits) {
    const { maxProcesses, maxExited } = limits;
    this.table = new LifeTable({ maxEntries: maxProcesses, maxEnded: maxExited });
  }

  /** Retired processes: their sum. */
  public get exited(): EnergyAccount {
    return this.table.exited;
  }

  /** Ended processes that gave way before anybody exported them. */
  public get retiredEarly(): number {
    return this.table.retiredEarly;
  }

  public values(): IterableIterator<ProcessEntry> {
    return this.table.values();
  }

  public get size(): number {
    return this.table.size;
  }

  /**
   * The entry of the sample's process; undefined if there is no room. `isLate`: the process was
   * charged elsewhere before, so its series begins with this window.
   */
  public entryOf(task: TaskSample, times: EntryTimes, isLate: boolean): ProcessEntry | undefined {
    const key = processKey(task.tgid, task.processStartBoottimeNanos);
    const known = this.table.get(key);
    if (known !== undefined) return known;
    if (!this.table.makeRoom()) return undefined;
    const entry = this.newEntry(key, task, times, isLate);
    const previous = this.byPid.get(entry.pid);
    // The pid can only be taken again after its last owner is gone; its last rows may still follow.
    if (previous !== undefined) this.replaced.push(previous);
    this.table.add(entry);
    this.byPid.set(entry.pid, entry);
    return entry;
  }

  /**
   * What may change over a life: exec and prctl rename, setuid changes the owner, a task is moved. Name
   * and owner are the leader's: other threads' slots say what was true when they were taken.
   */
  public refresh(entry: ProcessEntry, task: TaskSample): void {
    const isLeader = task.tid === task.tgid;
    if (isLeader || !entry.hasLeaderSpoken) {
      this.rename(entry, task.processComm);
      entry.uid = task.uid;
      entry.parentPid = task.parentTgid;
      entry.hasLeaderSpoken = isLeader;
    }
    entry.cgroupId = task.cgroupId;
    if (task.isGroupDead) entry.hasGroupDied = true;
  }

  public attachSlot(entry: ProcessEntry, tid: number): void {
    entry.liveSlots += 1;
    entry.slotsByTid.set(tid, (entry.slotsByTid.get(tid) ?? 0) + 1);
    this.revive(entry);
  }

  public detachSlot(entry: ProcessEntry, tid: number): void {
    entry.liveSlots = Math.max(0, entry.liveSlots - 1);
    const left = (entry.slotsByTid.get(tid) ?? 1) - 1;
    if (left > 0) entry.slotsByTid.set(tid, left);
    else entry.slotsByTid.delete(tid);
    if (entry.hasGroupDied && entry.liveSlots === 0) this.end(entry);
  }

  /** exec by a thread that is not the leader: the thread goes on under the leader's tid. */
  public moveSlot(entry: ProcessEntry, fromTid: number, toTid: number): void {
    const left = (entry.slotsByTid.get(fromTid) ?? 1) - 1;
    if (left > 0) entry.slotsByTid.set(fromTid, left);
    else entry.slotsByTid.delete(fromTid);
    entry.slotsByTid.set(toTid, (entry.slotsByTid.get(toTid) ?? 0) + 1);
  }

  /** After all rows of a window: ends those whose pid went to another, and keeps the cap. */
  public closeWindow(): void {
    for (const entry of this.replaced.splice(0)) this.end(entry);
    this.table.keepLimit();
  }

  /** Its final value is out: the entry goes, its sums stay. Nothing happens while it lives. */
  public retireExported(pid: number, startBoottimeNanos: Nanos): void {
    this.table.retireExported(processKey(pid, startBoottimeNanos));
  }

  /** Ends processes of which nobody has seen the end. */
  public endVanished(
    isAlive: (pid: number, startBoottimeNanos: Nanos) => boolean,
    isCandidate: (entry: ProcessEntry) => boolean,
  ): number {
    const gone = [...this.table.values()].filter(
      (entry) =>
        entry.state === 'live' &&
        isCandidate(entry) &&
        !isAlive(entry.pid, entry.startBoottimeNanos),
    );
    for (const entry of gone) this.end(entry);
    return gone.length;
  }

  private newEntry(
    key: string,
    task: TaskSample,
    times: EntryTimes,
    isLate: boolean,
  ): ProcessEntry {
    const start = task.processStartBoottimeNanos;
    const startUnixMillis = times.bootUnixMillis + Number(start / NANOS_PER_MILLISECOND);
    const isChargedSince = isLate ? times.windowStartUnixMillis : startUnixMillis;
    return {
      key,
      pid: task.tgid,
      startBoottimeNanos: nanos(start),
      startUnixMillis,
      seriesStartUnixMillis: Math.max(isChargedSince, times.ledgerStartUnixMillis),
      account: new EnergyAccount(),
      parentPid: task.parentTgid,
      comm: task.processComm,
      name: this.limits.nameOf(task.tgid, task.processComm),
      uid: task.uid,
      isKernelThread: task.isKernelThread,
      cgroupId: task.cgroupId,
      state: 'live',
      hasGroupDied: false,
      hasLeaderSpoken: false,
      liveSlots: 0,
      slotsByTid: new Map(),
    };
  }

  private rename(entry: ProcessEntry, comm: string): void {
    if (entry.comm === comm) return;
    entry.comm = comm;
    entry.name = this.limits.nameOf(entry.pid, comm);
  }

  private end(entry: ProcessEntry): void {
    if (entry.state !== 'live') return;
    this.table.end(entry);
    entry.liveSlots = 0;
    entry.slotsByTid.clear();
    if (this.byPid.get(entry.pid) === entry) this.byPid.delete(entry.pid);
  }

  private revive(entry: ProcessEntry): void {
    if (entry.state !== 'ended') return;
    this.table.revive(entry);
    this.byPid.set(entry.pid, entry);
  }
}
