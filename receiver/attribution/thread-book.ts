// SPDX-License-Identifier: Apache-2.0
/**
 * Threads, only while somebody asks for them: a detail of the processes, not part of any sum. A dead
 * thread stays until the next window, so that its last part is seen; its energy is its process's.
 */
import type { TaskSample } from '../model/activity.js';
import { EnergyAccount, type Charge } from './energy-account.js';

export interface ThreadEntry {
  readonly tid: number;
  readonly pid: number;
  name: string;
  readonly account: EnergyAccount;
}

export class ThreadBook {
  /** Threads that found no room; their energy is in their process. */
  public skipped = 0;
  private readonly entries = new Map<string, ThreadEntry>();
  private readonly dead = new Set<string>();
  private isOn = false;

  public constructor(private readonly maxThreads: number) {}

  public get isEnabled(): boolean {
    return this.isOn;
  }

  /** Totals begin at zero each time threads are asked for. */
  public enable(isEnabled: boolean): void {
    if (this.isOn === isEnabled) return;
    this.isOn = isEnabled;
    this.entries.clear();
    this.dead.clear();
  }

  public values(): IterableIterator<ThreadEntry> {
    return this.entries.values();
  }

  /** Before the rows of a window. */
  public openWindow(): void {
    for (const key of this.dead) this.entries.delete(key);
    this.dead.clear();
  }

  public book(booking: number, task: TaskSample, charge: Charge): void {
    if (!this.isOn) return;
    const key = `${String(task.tid)}:${String(task.startBoottimeNanos)}`;
    let entry = this.entries.get(key);
    if (entry === undefined) {
      if (this.entries.size >= this.maxThreads) {
        this.skipped += 1;
        return;
      }
      const account = new EnergyAccount();
      entry = { tid: task.tid, pid: task.tgid, name: task.comm, account };
      this.entries.set(key, entry);
    }
    entry.name = task.comm;
    entry.account.add(booking, charge);
    if (task.isDead) this.dead.add(key);
  }
}
