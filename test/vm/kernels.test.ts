// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel matrix: on each of Debian's kernels the product's programs pass the verifier, attach, count what
 * we caused, write the power feed in its one layout, and are gone afterwards. The instructions that each verifier went through are printed.
 */
import { describe, expect, it } from 'vitest';

import { KERNEL_VERSIONS } from './harness/cache.js';
import { accountingScript, readAccounting } from './harness/accounting.js';
import { bootAndRun, hookMillis, patientMillis } from './harness/files.js';

const LIMIT_MILLIS = patientMillis(150);
const NANOS_PER_MILLI = 1e6;

const BURNER = '/vm/simhw/simload burner 2 cpu=1';
const RUNS = [
  { name: 'plain', counters: 'none', command: `${BURNER} >/vm/out/load.txt` },
  {
    name: 'counting',
    counters: 'software',
    command: `${BURNER} >/dev/null`,
    feed: '/sys/fs/bpf/wattfeed/v1',
  },
] as const;
/** What a scheduler that was built against version 1 expects: name, type, bytes of key and value, entries. */
const FEED_PINS = [
  'state array 4 384 1',
  'package array 4 256 64',
  'cpu array 4 256 1024',
  'cgroup array 4 256 4096',
  'cgroup_index hash 8 4 4096',
  'task task_storage 4 256 0',
];

describe('accounting on the kernel matrix', () => {
  // side by side: what is judged are counts and shares of CPU time, and most of each run is one thread's start
  it.concurrent.each(KERNEL_VERSIONS)(
    'loads, attaches, counts and detaches on %s',
    async (kernel) => {
      const run = await bootAndRun('smt', kernel, accountingScript(RUNS), LIMIT_MILLIS, {
        isShared: true,
      });
      const report = readAccounting(run, 'plain');
      console.log(
        [
          `kernel ${report.release}: verifier instructions`,
          ...readAccounting(run, 'counting').programs.map(
            (program) => `  ${program.name.padEnd(20)} ${program.verifiedInstructions.toString()}`,
          ),
        ].join('\n'),
      );
      expect(
        report.features.filter(({ name, isAvailable }) => !isAvailable && name !== 'cpu_times'),
      ).toEqual([]);
      for (const program of report.programs)
        expect(program.verifiedInstructions).toBeGreaterThan(0);
      // what the burner's own CPU clock says, against what was booked for it
      const [, tid, cpuNanos] = run.text('load.txt').trim().split(' ').map(Number);
      const burner = report.threads.find(
        (thread) => thread.tid === tid && thread.comm === 'burner',
      );
      const bookedMillis = (burner?.runtimeNanos ?? 0) / NANOS_PER_MILLI;
      expect(bookedMillis).toBeGreaterThan(((cpuNanos ?? 0) / NANOS_PER_MILLI) * 0.98);
      expect(report.totals.taskNanos).toBe(report.totals.rowNanos + report.totals.unslottedNanos);
      expect(report.programsLeft).toEqual([]);
      // the same with counters (software events, which tick once a nanosecond) and the power feed
      const counting = readAccounting(run, 'counting');
      const counted = counting.threads.find(({ comm }) => comm === 'burner');
      expect(counting.counterFaults).toEqual([]);
      expect(counting.totals.counterFailures).toBe(0);
      expect(counted?.uncountedNanos).toBeLessThan((counted?.runtimeNanos ?? 0) * 0.05);
      expect((counted?.cycles ?? 0) / (counted?.sliceNanos ?? 1)).toBeGreaterThan(0.95);
      expect((counted?.cycles ?? 0) / (counted?.sliceNanos ?? 1)).toBeLessThan(1.01);
      expect(counted?.packageOnNanos).toBeGreaterThan(0);
      expect(counting.feed?.status).toBe(0);
      expect(counting.feed?.pins).toEqual(FEED_PINS);
      const entry = counting.feed?.longest;
      expect(entry).toMatchObject({ tid: counted?.tid, comm: 'burner' });
      // as it was at a window's edge, so at most one window is missing
      expect((entry?.runNanos ?? 0) / (counted?.sliceNanos ?? 1)).toBeGreaterThan(0.4);
      expect((entry?.runNanos ?? 0) / (counted?.sliceNanos ?? 1)).toBeLessThan(1.001);
      expect(entry?.runMicrowatts).toBeGreaterThan(0);
    },
    hookMillis(LIMIT_MILLIS),
  );
});
