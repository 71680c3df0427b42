// SPDX-License-Identifier: Apache-2.0
/**
 * The whole way of an alarm: a thread that spins, agent, node Collector, Prometheus with the shipped rules.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrometheusProcess } from '../../support/prometheus-process.js';
import { startWholeWay, type WholeWay } from '../../support/whole-way.js';
import { CORPUS } from '../../spin/corpus.js';

const ALERT = 'WattfeedThreadSpinning';
const FIRING_MILLIS = 70_000;

/** A CPU may be shared with whoever else is on this machine. */
const forSharedCpus = (rules: string): string =>
  rules.replace('thread_spin:ratio_rate2m > 0.8', 'thread_spin:ratio_rate2m > 0.1');

describe('from a thread that spins to a firing alert', () => {
  const programs: ChildProcess[] = [];
  let way: WholeWay;
  let prometheus: PrometheusProcess;

  const start = (program: string, kind: string): ChildProcess => {
    const child = spawn(`${CORPUS}build/${program}-O2`, [kind], { stdio: 'ignore' });
    programs.push(child);
    return child;
  };

  beforeAll(async () => {
    execFileSync('make', ['--silent', '-C', CORPUS, 'build/spinners-O2', 'build/honest-O2'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    way = await startWholeWay(
      [{ id: 'intel-rapl:0', name: 'package-0', watts: 60 }],
      forSharedCpus,
    );
    ({ prometheus } = way);
  }, 80_000);

  afterAll(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await way.stop();
  });

  it('fires for the thread, and for no thread that works, and resolves when it has ended', async () => {
    const spinner = start('spinners', 'flag');
    const worker = start('honest', 'hash');
    await prometheus.untilFiring(ALERT, true, FIRING_MILLIS);
    const fired = await prometheus.alert(ALERT);
    expect(fired?.labels).toMatchObject({
      severity: 'warning',
      process_pid: String(spinner.pid),
      thread_id: String(spinner.pid),
      wattfeed_spin_kind: 'flag',
    });
    expect(fired?.annotations['description']).toContain(`wattfeed spin ${String(spinner.pid)}`);
    const ended = once(spinner, 'exit');
    spinner.kill('SIGKILL');
    await ended;
    await prometheus.untilFiring(ALERT, false, FIRING_MILLIS);
    const wasted = await prometheus.query(
      `wattfeed_spin_energy_joules_total{process_pid="${String(worker.pid)}"}`,
    );
    expect(wasted).toEqual([]);
  });
});
