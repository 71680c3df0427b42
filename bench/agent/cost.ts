// SPDX-License-Identifier: Apache-2.0
/** What a process has cost so far, from the kernel's own accounts of it. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const NANOS_PER_SECOND = 1e9;
const KIB_PER_MIB = 1024;

/** CPU seconds by kind of thread. */
export interface ThreadSeconds {
  readonly main: number;
  /** V8's own: garbage collection, compiling. */
  readonly engine: number;
  /** The addon's: flush, energy, scan. */
  readonly window: number;
  readonly other: number;
}

const KINDS: Readonly<Record<string, keyof ThreadSeconds>> = {
  MainThread: 'main',
  node: 'main',
  V8Worker: 'engine',
  'wattfeed-window': 'window',
};

/** A thread may end between listing and reading; what it cost since the last look is then missing. */
const readOrEmpty = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

/** From schedstat: nanoseconds, where stat has hundredths of a second. */
export const threadSeconds = (pid: number): ThreadSeconds => {
  const seconds = { main: 0, engine: 0, window: 0, other: 0 };
  const directory = `/proc/${String(pid)}/task`;
  for (const tid of readdirSync(directory)) {
    const kind = KINDS[readOrEmpty(`${directory}/${tid}/comm`)] ?? 'other';
    const [nanos] = readOrEmpty(`${directory}/${tid}/schedstat`).split(' ');
    seconds[kind] += Number(nanos ?? 0) / NANOS_PER_SECOND;
  }
  return seconds;
};

/** Run time of BPF programs, seconds; needs kernel.bpf_stats. */
export const programSeconds = (ids: readonly number[]): number =>
  ids.reduce((sum, id) => {
    const text = execFileSync('bpftool', ['prog', 'show', 'id', String(id)], { encoding: 'utf8' });
    return sum + Number(/run_time_ns (\d+)/.exec(text)?.[1] ?? 0) / NANOS_PER_SECOND;
  }, 0);

/** MiB. `file` holds the pages of node's binary, shared with every other node, and the mapped slots. */
export interface Resident {
  readonly all: number;
  readonly anonymous: number;
  readonly file: number;
  readonly peak: number;
}

export const residentMebibytes = (pid: number): Resident => {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / KIB_PER_MIB;
  return { all: of('VmRSS'), anonymous: of('RssAnon'), file: of('RssFile'), peak: of('VmHWM') };
};

/** Since boot: busy and all time of all CPUs, in the kernel's ticks, and processes and threads made. */
export interface HostCounts {
  readonly busyTicks: number;
  readonly allTicks: number;
  readonly forks: number;
}

export const hostCounts = (): HostCounts => {
  const text = readFileSync('/proc/stat', 'utf8');
  const [line = ''] = text.split('\n');
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const allTicks = ticks.reduce((sum, value) => sum + value, 0);
  const busyTicks = allTicks - (ticks[3] ?? 0) - (ticks[4] ?? 0);
  return { busyTicks, allTicks, forks: Number(/^processes (\d+)/m.exec(text)?.[1]) };
};
