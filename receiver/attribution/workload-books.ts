// SPDX-License-Identifier: Apache-2.0
/**
 * Containers, pods, jobs and units: lets their accounts follow those of the cgroups, once a window
 * and only for cgroups that were charged. A cgroup whose path is found late gives what it had until
 * then at once; one whose path was never found gives it to `unresolved`.
 */
import { CGROUP_LEVELS, type CgroupLevel } from '../model/ledger-view.js';
import type { CgroupIdentity } from '../model/workload.js';
import type { CgroupEntry } from './cgroup-book.js';
import { EnergyAccount } from './energy-account.js';
import { WorkloadBook, type WorkloadLimits, type WorkloadTarget } from './workload-book.js';
import { workloadOf } from './workload-keys.js';

export class WorkloadBooks {
  /** Cgroups that were forgotten before anybody knew their path. */
  public readonly unresolved = new EnergyAccount();
  private readonly books: Readonly<Record<CgroupLevel, WorkloadBook>>;

  public constructor(
    limits: WorkloadLimits,
    private readonly userName: (uid: number) => string,
  ) {
    this.books = {
      container: new WorkloadBook(limits),
      pod: new WorkloadBook(limits),
      job: new WorkloadBook(limits),
      unit: new WorkloadBook(limits),
    };
  }

  public of(level: CgroupLevel): WorkloadBook {
    return this.books[level];
  }

  /** After the rows of the booking with this number. `identity` undefined: not known yet. */
  public follow(entry: CgroupEntry, identity: CgroupIdentity | undefined, booking: number): void {
    if (identity === undefined) return;
    const isLate = entry.identity === undefined;
    if (entry.identity !== identity || entry.targets === undefined) {
      this.release(entry);
      entry.targets = this.bind(entry, identity);
      entry.identity = identity;
    }
    for (const { account } of entry.targets) {
      if (isLate) account.absorb(entry.account);
      else account.addWindowOf(entry.account, booking);
    }
  }

  /** The cgroup has ended, or stands for something else now. */
  public release(entry: CgroupEntry): void {
    for (const target of entry.targets ?? []) target.book.release(target);
    entry.targets = undefined;
  }

  /** The cgroup's account goes into a remainder of its own level. */
  public forget(entry: CgroupEntry): void {
    if (entry.identity === undefined) this.unresolved.absorb(entry.account);
  }

  public closeWindow(): void {
    for (const level of CGROUP_LEVELS) this.books[level].closeWindow();
  }

  private bind(entry: CgroupEntry, identity: CgroupIdentity): readonly WorkloadTarget[] {
    return CGROUP_LEVELS.map((level) => {
      const found = workloadOf(level, identity, entry.ownerUid, this.userName);
      return this.books[level].bind(found?.key, found?.facts, entry.seriesStartUnixMillis);
    });
  }
}
