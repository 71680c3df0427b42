// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import { isKernelThread, startTicks } from '../support/kernel/proc.js';
import {
  closeWindowAsleep,
  ok,
  processesOf,
  runtimeNanosOf,
  startRecording,
  sum,
  tasksOf,
  totals,
  type Recording,
} from '../support/kernel/recording.js';
import { untilDefined } from '../support/until.js';

const NANOS_PER_TICK = 10_000_000n;
/** Each look closes a window. */
const LOOK = { everyMillis: 20, deadlineMillis: 10_000 };

let recording: Recording | undefined;
let load: Load | undefined;

const record = async (name: string, args: readonly (number | string)[]) => {
  const current = await startRecording();
  const program = await startLoad(name, args);
  recording = current;
  load = program;
  return { current, program };
};

/** The pid behind `done`. */
const pidIn = (line: string): number => Number(line.split(' ')[1]);

describe('identity of processes', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await load?.stop();
    await recording?.close();
  });

  it('takes a used-again pid for a new process', async () => {
    const { current, program } = await record('same-pid', [60, 20]);
    const pid = pidIn(await program.act());
    const rows = await untilDefined(
      'both deaths',
      async () => {
        await current.closeWindow();
        const found = tasksOf(current, ({ tid }) => tid === pid);
        return found.filter(({ isDead }) => isDead).length === 2 ? found : undefined;
      },
      LOOK,
    );
    const starts = [...new Set(rows.map((row) => row.processStartBoottimeNanos))].sort((a, b) =>
      a < b ? -1 : 1,
    );
    const runtimeMillis = starts.map(
      (start) =>
        runtimeNanosOf(rows.filter((row) => row.processStartBoottimeNanos === start)) / 1e6,
    );

    expect(starts).toHaveLength(2);
    expect(runtimeMillis[0]).toBeGreaterThan(59);
    expect(runtimeMillis[0]).toBeLessThan(65);
    expect(runtimeMillis[1]).toBeGreaterThan(19);
    expect(runtimeMillis[1]).toBeLessThan(25);
  });

  it('keeps one process when a thread that is not the leader executes', async () => {
    const { current, program } = await record('exec-thread', [50]);
    const { pid } = program;
    await program.act();
    const { runtimeNanos } = await closeWindowAsleep(current, pid);
    const rows = tasksOf(current, ({ tgid }) => tgid === pid);
    const last = rows.at(-1);

    expect(processesOf(rows).size).toBe(1);
    // the thread's own sum goes on across the exec; the dead leader's comes on top
    expect(runtimeNanosOf(rows)).toBeGreaterThan(runtimeNanos);
    expect(runtimeNanosOf(rows)).toBeLessThan(runtimeNanos + 20e6);
    expect(runtimeNanos).toBeGreaterThan(100e6);
    expect(last?.tid).toBe(pid);
    expect(last?.comm).toBe('exe');
    expect(Number((last?.processStartBoottimeNanos ?? 0n) / NANOS_PER_TICK)).toBe(startTicks(pid));
    expect(rows.some(({ isDead, isGroupDead }) => isDead && isGroupDead)).toBe(false);
  });

  it('ends a process with its last thread', async () => {
    const { current, program } = await record('exec-thread', [10]);
    const { pid } = program;
    await program.act();
    await program.stop();
    const dead = await untilDefined(
      'the death',
      async () => {
        await current.closeWindow();
        const found = tasksOf(current, ({ tgid, isDead }) => tgid === pid && isDead);
        return found.length === 2 ? found : undefined;
      },
      LOOK,
    );

    expect(dead.map(({ isGroupDead }) => isGroupDead)).toStrictEqual([false, true]);
  });

  it('follows the names of a thread and of its leader', async () => {
    const { current, program } = await record('rename', ['new\x1bname']);
    const { pid } = program;
    await program.act();
    await current.closeWindow();
    const lastOf = (wanted: boolean) =>
      tasksOf(current, ({ tgid, tid }) => tgid === pid && (tid === pid) === wanted).at(-1);

    expect(lastOf(true)?.comm).toMatch(/^new.+name$/);
    expect(lastOf(true)?.comm).not.toContain('\x1b');
    expect(lastOf(true)?.processComm).toBe(lastOf(true)?.comm);
    expect(lastOf(false)?.comm).toBe('own-name');
  });

  it('hands the tag down to a double-forked grandchild that lives 2 ms', async () => {
    const { current, program } = await record('double-fork', [2_000]);
    const tag = 4242;
    expect(ok(current.session.setTag(program.pid, tag))).toBe(1);
    const grandchild = pidIn(await program.act());
    const rows = await untilDefined(
      'the death of the grandchild',
      async () => {
        await current.closeWindow();
        const found = tasksOf(current, (task) => task.tag === tag);
        return found.some(({ tid, isDead }) => tid === grandchild && isDead) ? found : undefined;
      },
      LOOK,
    );
    const ofGrandchild = rows.filter(({ tid }) => tid === grandchild);

    expect(runtimeNanosOf(ofGrandchild)).toBeGreaterThanOrEqual(2e6);
    expect(runtimeNanosOf(ofGrandchild)).toBeLessThan(10e6);
    // the program, its child and its grandchild, and nobody else
    expect(processesOf(rows).size).toBe(3);
  });
});

describe('kernel threads and idle', () => {
  beforeAll(buildLoads);

  afterEach(async () => {
    await load?.stop();
    await recording?.close();
  });

  it('tells kernel threads from processes and has no entity for pid 0', async () => {
    const { current, program } = await record('switches', [10]);
    await program.act();
    await current.closeWindow();
    const rows = tasksOf(current, () => true);
    const known = rows
      .map((row) => ({ row, expected: isKernelThread(row.tid) }))
      .filter(({ expected }) => expected !== undefined);

    expect(rows.filter(({ tid }) => tid === 0)).toStrictEqual([]);
    expect(known.filter(({ row, expected }) => row.isKernelThread !== expected)).toStrictEqual([]);
    expect(rows.some((row) => row.isKernelThread)).toBe(true);
    expect(known.some(({ row }) => !row.isKernelThread)).toBe(true);
  });

  it('never charges a CPU more time than passed', async () => {
    const { current, program } = await record('switches', [10]);
    await program.act();
    await current.close();
    const { windows } = current;
    const passedNanos = Number((windows.at(-1)?.endNanos ?? 0n) - (windows[0]?.startNanos ?? 0n));
    const cpuCount = windows[0]?.cpus.length ?? 0;
    const { taskNanos } = totals(current);

    expect(taskNanos).toBeGreaterThan(0);
    for (let cpu = 0; cpu < cpuCount; cpu++) {
      const busyNanos = sum(windows, (window) => window.cpus[cpu]?.busyNanos ?? 0);
      // the flush of a CPU and the window's end are a moment apart
      expect(busyNanos).toBeLessThan(passedNanos + 5e6);
    }
  });
});
