// SPDX-License-Identifier: Apache-2.0
/** What another process has taken so far, from /proc. */
import { readFileSync } from 'node:fs';

/** USER_HZ of every Linux that Node runs on, sysconf(_SC_CLK_TCK). */
const TICKS_PER_SECOND = 100;
const KIB = 1_024;

export interface ProcessCost {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

export const processCost = (pid: number): ProcessCost => {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  // Fields 14 and 15, utime and stime; the name in field 2 may hold blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    residentBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * KIB,
  };
};
