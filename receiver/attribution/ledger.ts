// SPDX-License-Identifier: Apache-2.0
/**
 * Cumulative energy and CPU time of every entity since the agent started. Bounded, and whole at all
 * times: per kind of energy
 *
 *   Σ processes (living and ended) + exited + overflow + idle + irq + igpu + unattributed = accepted
 *
 * and the same for cgroups, names and users, and for containers, pods, jobs and units with what is in
 * none of them; for threads from the moment they are asked for. Nothing ever decreases, except that an entry that goes
 * (exported after its end, or evicted) moves whole into a remainder.
 */
import type { ActivityWindow, AccountingStats } from '../model/activity.js';
import {
  CGROUP_LEVELS,
  type CgroupLevel,
  type CgroupTotals,
  type DomainTotals,
  type NameTotals,
  type ProcessIdentity,
  type ProcessTotals,
  type Rated,
  type RatedLedgerView,
  type ThreadIdentity,
  type ThreadTotals,
  type UserTotals,
  type WorkloadLevel,
  type WorkloadTotals,
} from '../model/ledger-view.js';
import type { EnergyDomain } from '../model/energy-domain.js';
import type { Microjoules, Nanos } from '../model/units.js';
import type { DomainReading } from '../model/window.js';
import { AccountTable } from './account-table.js';
import type { WindowAttribution } from './attribute.js';
import { CgroupBook, type CgroupEntry } from './cgroup-book.js';
import { DomainBook } from './domain-book.js';
import { EnergyAccount, ExactSum, type Charge } from './energy-account.js';
import {
  cgroupTotals,
  eachOf,
  processTotals,
  threadTotals,
  workloadTotals,
  type Identities,
} from './ledger-entries.js';
import { DEFAULT_LEDGER_LIMITS, type LedgerLimits } from './ledger-limits.js';
import { ProcessBook, type EntryTimes } from './process-book.js';
import { SlotBindings } from './slot-bindings.js';
import { ThreadBook } from './thread-book.js';
import { WorkloadBooks } from './workload-books.js';
import { personTotals } from './person-totals.js';
import { entitySums, ledgerDefects } from './verify-ledger.js';
import { addStats, NO_STATS } from './window-report.js';
import { entryTimes } from './wall-clock.js';

export interface LedgerOptions {
  readonly startUnixMillis: number;
  readonly limits?: Partial<LedgerLimits>;
}

export class Ledger implements RatedLedgerView {
  public readonly startUnixMillis: number;
  private readonly domainBook = new DomainBook();
  private readonly processBook: ProcessBook;
  private readonly cgroupBook: CgroupBook;
  private readonly workloadBooks: WorkloadBooks;
  private readonly threadBook: ThreadBook;
  private readonly nameTable: AccountTable<string>;
  private readonly userTable: AccountTable<number>;
  private readonly bindings: SlotBindings;
  private readonly bookedNanos = new ExactSum();
  /** Number of the last booked window; rises by one with each, whatever its own index says. */
  private booking = 0;
  private changes = 0;
  private stats: AccountingStats = NO_STATS;
  private inconsistentBalances = 0;
  private processOverflowRows = 0;
  private cgroupOverflowRows = 0;

  public constructor(
    options: LedgerOptions,
    private readonly identities: Identities,
  ) {
    const limits = { ...DEFAULT_LEDGER_LIMITS, ...options.limits };
    this.startUnixMillis = options.startUnixMillis;
    this.processBook = new ProcessBook({ ...limits, nameOf: identities.processName });
    this.workloadBooks = new WorkloadBooks(
      { maxEntries: limits.maxWorkloads, maxEnded: limits.maxExited },
      identities.userName,
    );
    this.cgroupBook = new CgroupBook({
      maxEntries: limits.maxCgroups,
      maxEnded: limits.maxExited,
      onEnd: (entry) => {
        this.workloadBooks.release(entry);
      },
      onForget: (entry) => {
        this.workloadBooks.forget(entry);
      },
    });
    this.threadBook = new ThreadBook({
      maxEntries: limits.maxThreads,
      maxEnded: limits.maxExitedThreads,
    });
    this.nameTable = new AccountTable(limits.maxNames);
    this.userTable = new AccountTable(limits.maxUsers);
    this.bindings = new SlotBindings({
      processes: this.processBook,
      cgroups: this.cgroupBook,
      threads: this.threadBook,
      names: this.nameTable,
      users: this.userTable,
      noticeCgroup: (id, pid) => {
        this.identities.noticeCgroup(id, pid);
      },
    });
  }

  /** Books one window. All of it or, for a domain without a balance, none of that domain. */
  public book(
    window: ActivityWindow,
    readings: readonly DomainReading[],
    attribution: WindowAttribution,
  ): void {
    this.changes += 1;
    this.booking += 1;
    this.inconsistentBalances += attribution.inconsistencies.length;
    this.stats = window.cpus.reduce((sum, cpu) => addStats(sum, cpu.stats), this.stats);
    this.domainBook.book(readings, attribution.balances);
    const times = entryTimes(window, this.startUnixMillis);
    this.threadBook.openWindow(times);
    this.bookTasks(window, attribution, times);
    this.bookOverflow(window, attribution, times);
    this.processBook.closeWindow();
    this.closeCgroups();
  }

  /** What a counter rose by while no agent ran: measured, and nobody's. */
  public bookMissed(domain: EnergyDomain, energy: Microjoules, spanNanos: Nanos): void {
    this.changes += 1;
    this.domainBook.bookMissed(domain, energy, spanNanos);
  }

  /** Time of which nobody knows what was burned in it. */
  public bookGap(domain: EnergyDomain, spanNanos: Nanos): void {
    this.changes += 1;
    this.domainBook.bookGap(domain, spanNanos);
  }

  /** While off, `threads()` is empty; totals begin at zero when it is turned on. */
  public setThreadsEnabled(isEnabled: boolean): void {
    this.changes += 1;
    this.threadBook.enable(isEnabled, entitySums(this.domains(), this.bookedNanos.value()));
  }

  /**
   * Forgets ended processes whose final value was exported; their sums move to `exitedProcesses()`.
   * Only those that were `isExited` in what was exported: a value that was read before the end is not
   * the final one. Others are left alone.
   */
  public retireExported(
    identities: Iterable<Pick<ProcessIdentity, 'pid' | 'startBoottimeNanos'>>,
  ): void {
    this.changes += 1;
    for (const { pid, startBoottimeNanos } of identities) {
      this.processBook.retireExported(pid, startBoottimeNanos);
    }
  }

  /** The same for ended threads; their sums move to `exitedThreads()`. */
  public retireExportedThreads(
    identities: Iterable<Pick<ThreadIdentity, 'tid' | 'startBoottimeNanos'>>,
  ): void {
    this.changes += 1;
    for (const { tid, startBoottimeNanos } of identities) {
      this.threadBook.retireExported(tid, startBoottimeNanos);
    }
  }

  /** The same for removed cgroups; their sums move to `exitedCgroups()`. */
  public retireExportedCgroups(cgroups: Iterable<Pick<CgroupTotals, 'id'>>): void {
    this.changes += 1;
    for (const { id } of cgroups) this.cgroupBook.retireExported(id);
  }

  /** The same for containers, pods, jobs and units; users and names do not end. */
  public retireExportedWorkloads(
    level: WorkloadLevel,
    workloads: Iterable<Pick<WorkloadTotals, 'key'>>,
  ): void {
    this.changes += 1;
    if (!isCgroupLevel(level)) return;
    for (const { key } of workloads) this.workloadBooks.of(level).retireExported(key);
  }

  /**
   * Ends processes that are gone although their end was not seen: the last thread had no slot, or a
   * window was lost (`isEveryEntry`, which looks at threads too: `isAlive` is asked for their tids).
   * Returns how many processes.
   */
  public endVanished(
    isAlive: (pid: number, startBoottimeNanos: Nanos) => boolean,
    isEveryEntry = false,
  ): number {
    this.changes += 1;
    if (isEveryEntry) this.threadBook.endVanished(isAlive);
    return this.processBook.endVanished(isAlive, (entry) => isEveryEntry || entry.liveSlots === 0);
  }

  /** What does not close: empty, or there is a defect. One pass over all entries. */
  public verify(): readonly string[] {
    const { processBook, cgroupBook, workloadBooks, threadBook, nameTable, userTable } = this;
    const processes = [...processBook.values()].map(({ account }) => account);
    const entries = [...cgroupBook.values()];
    const cgroups = entries.map(({ account }) => account);
    const unknown = entries.filter((entry) => entry.identity === undefined);
    const inNone = [
      ...unknown.map(({ account }) => account),
      workloadBooks.unresolved,
      cgroupBook.unplaced,
    ];
    return ledgerDefects(
      this.domains(),
      [
        {
          name: 'processes',
          accounts: [...processes, processBook.exited, processBook.overflow],
        },
        { name: 'cgroups', accounts: [...cgroups, cgroupBook.exited, cgroupBook.overflow] },
        ...CGROUP_LEVELS.map((level) => ({
          name: `${level}s`,
          accounts: [...workloadBooks.of(level).accounts(), ...inNone],
        })),
        { name: 'names', accounts: nameTable.all() },
        { name: 'users', accounts: userTable.all() },
        ...threadBook.levels(),
      ],
      this.bookedNanos.value(),
    );
  }

  public readonly revision = (): number => this.changes;

  public readonly domains = (): readonly DomainTotals[] => this.domainBook.totals();

  public readonly processes = (): Iterable<Rated<ProcessTotals>> =>
    eachOf(this.processBook, (entry) => processTotals(entry, this.identities, this.booking));

  public readonly cgroups = (): Iterable<Rated<CgroupTotals>> =>
    eachOf(this.cgroupBook, (entry) => cgroupTotals(entry, this.identities, this.booking));

  public readonly threads = (): Iterable<Rated<ThreadTotals>> =>
    eachOf(this.threadBook, (entry) => threadTotals(entry, this.booking));

  public readonly exitedProcesses = () => this.processBook.exited.remainder(this.booking);

  public readonly exitedThreads = () => this.threadBook.exited.remainder(this.booking);

  public readonly exitedCgroups = () => this.cgroupBook.exited.remainder(this.booking);

  public readonly workloads = (level: WorkloadLevel): Iterable<Rated<WorkloadTotals>> =>
    isCgroupLevel(level)
      ? eachOf(this.workloadBooks.of(level), (entry) => workloadTotals(entry, this.booking))
      : personTotals(level, this);

  public readonly exitedWorkloads = (level: WorkloadLevel) =>
    (isCgroupLevel(level) ? this.workloadBooks.of(level).exited : new EnergyAccount()).remainder(
      this.booking,
    );

  public readonly overflowWorkloads = (level: WorkloadLevel) => {
    if (level === 'user') return this.usersOverflow();
    if (level === 'name') return this.namesOverflow();
    return this.workloadBooks.of(level).overflow.remainder(this.booking);
  };

  public readonly overflow = () => ({
    processes: this.processBook.overflow.remainder(this.booking),
    cgroups: this.cgroupBook.overflow.remainder(this.booking),
    threads: this.threadBook.overflow.remainder(this.booking),
  });

  public readonly names = (): Iterable<Rated<NameTotals>> =>
    eachOf(this.nameTable, ([name, account]) => ({ name, ...account.remainder(this.booking) }));

  public readonly namesOverflow = () => this.nameTable.overflow.remainder(this.booking);

  public readonly users = (): Iterable<Rated<UserTotals>> =>
    eachOf(this.userTable, ([uid, account]) => ({
      uid,
      user: this.identities.userName(uid),
      ...account.remainder(this.booking),
    }));

  public readonly usersOverflow = () => this.userTable.overflow.remainder(this.booking);

  public readonly losses = (): Readonly<Record<string, number>> => ({
    storageMisses: this.stats.storageMisses,
    storageFailed: this.stats.storageFailed,
    slotsExhausted: this.stats.slotsExhausted,
    discontinuities: this.stats.discontinuities,
    overflowCgroupFull: this.stats.overflowCgroupFull,
    inconsistentBalances: this.inconsistentBalances,
    processOverflowRows: this.processOverflowRows,
    cgroupOverflowRows: this.cgroupOverflowRows,
    threadOverflowRows: this.threadBook.overflowRows,
  });

  /** How full the ledger is, for the agent's own metrics. */
  public readonly sizes = () => ({
    processes: this.processBook.size,
    slots: this.bindings.size,
    /** Ended processes that gave way before anybody exported them: no loss, their sum is kept. */
    exitedRetiredEarly: this.processBook.retiredEarly,
    cgroupsEvicted: this.cgroupBook.evictions,
    threads: this.threadBook.size,
  });

  private bookTasks(
    { tasks }: ActivityWindow,
    { shares }: WindowAttribution,
    times: EntryTimes,
  ): void {
    // one for all rows: accounts add it up and keep nothing of it
    const charge = { packageMicrojoules: 0, dramMicrojoules: 0, cpuNanos: 0 };
    tasks.forEach((task, row) => {
      charge.packageMicrojoules = shares.tasks.package[row] ?? 0;
      charge.dramMicrojoules = shares.tasks.dram[row] ?? 0;
      charge.cpuNanos = task.runtimeNanos;
      const binding = this.bindings.bindingOf(task, this.booking, times);
      const { process, cgroup } = binding;
      if (process === undefined) this.processOverflowRows += 1;
      (process?.account ?? this.processBook.overflow).add(this.booking, charge);
      this.chargeCgroup(cgroup, charge);
      if (cgroup !== undefined) learnOwner(cgroup, process?.uid ?? task.uid);
      binding.nameAccount.add(this.booking, charge);
      binding.userAccount.add(this.booking, charge);
      this.bookedNanos.add(charge.cpuNanos);
      this.threadBook.charge(this.booking, binding.thread, charge);
      if (task.isDead) this.bindings.release(task.slot, binding);
    });
  }

  /** Task time without a slot: its cgroup is known, its process, name and user are not. */
  private bookOverflow(
    { overflow }: ActivityWindow,
    { shares }: WindowAttribution,
    times: EntryTimes,
  ): void {
    overflow.forEach((sample, row) => {
      const charge: Charge = {
        packageMicrojoules: shares.overflow.package[row] ?? 0,
        dramMicrojoules: shares.overflow.dram[row] ?? 0,
        cpuNanos: sample.runtimeNanos,
      };
      const start = times.windowStartUnixMillis;
      if (!this.cgroupBook.has(sample.cgroupId)) {
        this.identities.noticeCgroup(sample.cgroupId, undefined);
      }
      const cgroup = this.cgroupBook.entryOf(sample.cgroupId, this.booking, start);
      this.chargeCgroup(cgroup, charge);
      this.processBook.overflow.add(this.booking, charge);
      this.nameTable.overflow.add(this.booking, charge);
      this.userTable.overflow.add(this.booking, charge);
      this.threadBook.chargeSlotless(this.booking, charge);
      this.bookedNanos.add(charge.cpuNanos);
    });
  }

  private chargeCgroup(cgroup: CgroupEntry | undefined, charge: Charge): void {
    if (cgroup !== undefined) {
      cgroup.account.add(this.booking, charge);
      return;
    }
    this.cgroupOverflowRows += 1;
    this.cgroupBook.overflow.add(this.booking, charge);
    this.cgroupBook.unplaced.add(this.booking, charge);
  }

  /** Containers, pods, jobs and units follow the cgroups; removed ones of these are found out. */
  private closeCgroups(): void {
    const { identities, cgroupBook, workloadBooks, booking } = this;
    for (const entry of cgroupBook.values()) {
      if (entry.account.lastBooking !== booking && entry.identity !== undefined) continue;
      workloadBooks.follow(entry, identities.cgroupIdentity(entry.id), booking);
    }
    cgroupBook.endRemoved(booking, identities.isCgroupThere, REMOVAL_CHECKS);
    cgroupBook.closeWindow();
    workloadBooks.closeWindow();
  }
}

/** Directories looked at per window, about 0.1 ms: 10,000 idle cgroups in 10 minutes. */
const REMOVAL_CHECKS = 16;
const ROOT_UID = 0;

const isCgroupLevel = (level: WorkloadLevel): level is CgroupLevel =>
  level !== 'user' && level !== 'name';

/** Whoever is not root: a runtime starts as root what a user asked for. */
const learnOwner = (cgroup: CgroupEntry, uid: number): void => {
  if (uid !== ROOT_UID) cgroup.ownerUid ??= uid;
};
