// SPDX-License-Identifier: Apache-2.0
/** What /proc says about a task, for comparison. */
import { readFileSync } from 'node:fs';

export interface TaskCounts {
  readonly state: string;
  readonly voluntarySwitches: number;
  readonly involuntarySwitches: number;
  /** se.sum_exec_runtime to the nanosecond, as of the task's last accounting by the scheduler. */
  readonly runtimeNanos: number;
}

const field = (status: string, name: string): string => {
  const value = new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1];
  if (value === undefined) throw new Error(`read status: no ${name}`);
  return value;
};

export const readCounts = (pid: number): TaskCounts => {
  const status = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/status`, 'utf8');
  const schedstat = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, 'utf8');
  return {
    state: field(status, 'State'),
    voluntarySwitches: Number(field(status, 'voluntary_ctxt_switches')),
    involuntarySwitches: Number(field(status, 'nonvoluntary_ctxt_switches')),
    runtimeNanos: Number(schedstat.split(' ')[0]),
  };
};

const PF_KTHREAD = 0x00200000;
/** Fields of /proc/PID/stat behind the name, which may hold anything. */
const STAT_FLAGS = 6;
const STAT_START_TICKS = 19;

const statField = (pid: number, index: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[index]);
  } catch {
    return undefined; // gone meanwhile
  }
};

/** undefined when the task has gone. */
export const isKernelThread = (pid: number): boolean | undefined => {
  const flags = statField(pid, STAT_FLAGS);
  return flags === undefined ? undefined : (flags & PF_KTHREAD) !== 0;
};

/** Start since boot in clock ticks of 10 ms; undefined when the task has gone. */
export const startTicks = (pid: number): number | undefined => statField(pid, STAT_START_TICKS);

/** One per possible CPU, from `/sys/devices/system/cpu/possible` (`0-3`, `0`). */
export const possibleCpus = (): number => {
  const ranges = readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim();
  return Number(ranges.split(/[-,]/).at(-1)) + 1;
};
