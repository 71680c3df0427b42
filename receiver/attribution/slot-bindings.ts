// SPDX-License-Identifier: Apache-2.0
/**
 * Which accounts a slot's rows go to. A slot keeps its owner from take to return, so the look-ups by
 * process, cgroup, name and user happen once and not in each window.
 */
import type { TaskSample } from '../model/activity.js';
import type { AccountTable } from './account-table.js';
import type { CgroupBook, CgroupEntry } from './cgroup-book.js';
import type { EnergyAccount } from './energy-account.js';
import type { EntryTimes, ProcessBook, ProcessEntry } from './process-book.js';
import type { ThreadBook, ThreadEntry } from './thread-book.js';

export interface Binding {
  readonly sequence: number;
  tid: number;
  /** Undefined while there is no room: the rows go to the overflow. */
  process: ProcessEntry | undefined;
  cgroup: CgroupEntry | undefined;
  /** Undefined while threads are not asked for, too. */
  thread: ThreadEntry | undefined;
  name: string | undefined;
  nameAccount: EnergyAccount;
  uid: number | undefined;
  userAccount: EnergyAccount;
}

export interface Books {
  readonly processes: ProcessBook;
  readonly cgroups: CgroupBook;
  readonly threads: ThreadBook;
  readonly names: AccountTable<string>;
  readonly users: AccountTable<number>;
  /** A cgroup got an entry: find its path while it can still be read. */
  readonly noticeCgroup: (id: bigint, pid: number) => void;
}

export class SlotBindings {
  private readonly bySlot = new Map<number, Binding>();

  public constructor(private readonly books: Books) {}

  public get size(): number {
    return this.bySlot.size;
  }

  /** The accounts of this row, brought up to date with its identity. */
  public bindingOf(task: TaskSample, booking: number, times: EntryTimes): Binding {
    const previous = this.bySlot.get(task.slot);
    const known = previous?.sequence === task.sequence ? previous : undefined;
    // Another owner although the last one's end was not seen: a window was lost.
    if (previous !== undefined && known === undefined) this.release(task.slot, previous);
    const binding = known ?? this.bind(task);
    this.updateProcess(binding, task, times, known !== undefined);
    this.updateCgroup(binding, task, booking, times);
    this.updateThread(binding, task, times, known !== undefined);
    this.updateNames(binding, task);
    return binding;
  }

  /** The slot's last row was booked. */
  public release(slot: number, binding: Binding): void {
    const { process, cgroup, thread, tid } = binding;
    if (process !== undefined && process.state === 'live') {
      this.books.processes.detachSlot(process, tid);
    }
    if (cgroup !== undefined) cgroup.liveSlots -= 1;
    if (thread?.state === 'live') this.books.threads.detachSlot(thread);
    this.bySlot.delete(slot);
  }

  /** Accounts are looked up by the updates that follow; until then they are the overflow's. */
  private bind(task: TaskSample): Binding {
    const { names, users } = this.books;
    const binding: Binding = {
      sequence: task.sequence,
      tid: task.tid,
      process: undefined,
      cgroup: undefined,
      thread: undefined,
      name: undefined,
      nameAccount: names.overflow,
      uid: undefined,
      userAccount: users.overflow,
    };
    this.bySlot.set(task.slot, binding);
    return binding;
  }

  private updateProcess(
    binding: Binding,
    task: TaskSample,
    times: EntryTimes,
    hadRows: boolean,
  ): void {
    const { processes } = this.books;
    const { process } = binding;
    const isSame =
      process?.pid === task.tgid && process.startBoottimeNanos === task.processStartBoottimeNanos;
    if (process === undefined || process.state === 'retired' || !isSame) {
      if (process?.state === 'live') processes.detachSlot(process, binding.tid);
      binding.process = processes.entryOf(task, times, hadRows);
      if (binding.process !== undefined) processes.attachSlot(binding.process, task.tid);
    } else if (process.state === 'ended') {
      processes.attachSlot(process, task.tid);
    } else if (binding.tid !== task.tid) {
      processes.moveSlot(process, binding.tid, task.tid);
    }
    binding.tid = task.tid;
    if (binding.process !== undefined) processes.refresh(binding.process, task);
  }

  /** exec by a thread that is not the leader: it goes on as the leader, with its tid and start. */
  private updateThread(
    binding: Binding,
    task: TaskSample,
    times: EntryTimes,
    hadRows: boolean,
  ): void {
    const { threads } = this.books;
    if (!threads.isEnabled) return;
    const { thread } = binding;
    const isSame =
      thread?.tid === task.tid && thread.startBoottimeNanos === task.startBoottimeNanos;
    if (thread === undefined || thread.state === 'retired' || !isSame) {
      if (thread?.state === 'live') threads.detachSlot(thread);
      binding.thread = threads.entryOf(task, binding.process, times, hadRows);
      if (binding.thread !== undefined) threads.attachSlot(binding.thread);
    } else if (thread.state === 'ended') {
      threads.attachSlot(thread);
    }
    if (binding.thread !== undefined) binding.thread.name = task.comm;
  }

  /** As the process is called and owned now, not as its thread's slot says: see ProcessBook.refresh. */
  private updateNames(binding: Binding, task: TaskSample): void {
    const name = binding.process?.name ?? task.processComm;
    const uid = binding.process?.uid ?? task.uid;
    if (binding.name !== name) {
      binding.name = name;
      binding.nameAccount = this.books.names.accountOf(name);
    }
    if (binding.uid !== uid) {
      binding.uid = uid;
      binding.userAccount = this.books.users.accountOf(uid);
    }
  }

  /** A moved task's whole window goes to the cgroup at the window's end. */
  private updateCgroup(
    binding: Binding,
    task: TaskSample,
    booking: number,
    times: EntryTimes,
  ): void {
    const { cgroups, noticeCgroup } = this.books;
    const { cgroup } = binding;
    if (cgroup?.id === task.cgroupId) return;
    if (cgroup !== undefined) cgroup.liveSlots -= 1;
    const isNew = !cgroups.has(task.cgroupId);
    binding.cgroup = cgroups.entryOf(task.cgroupId, booking, times.windowStartUnixMillis);
    if (binding.cgroup === undefined) return;
    binding.cgroup.liveSlots += 1;
    if (isNew) noticeCgroup(task.cgroupId, task.tgid);
  }
}
