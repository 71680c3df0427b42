// SPDX-License-Identifier: Apache-2.0
/**
 * The whole way of an alarm: a thread that spins, agent, node Collector, Prometheus with the shipped rules.
 * The rules' times are shortened; promtool tests them at full length (prometheus-rules.test.ts).
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  startAgent,
  stopAgent,
  type AgentProcess,
} from '../../support/agent-process.js';
import { freePort } from '../../support/collector-process.js';
import { startPowercapFixture, type PowercapFixture } from '../../support/powercap-fixture.js';
import { PrometheusProcess, RULES_DIRECTORY } from '../../support/prometheus-process.js';
import { startCollector, type ShippedCollector } from '../../support/shipped-collector.js';
import { CORPUS } from '../../spin/corpus.js';

const ALERT = 'WattfeedThreadSpinning';
const EXPORT_MILLIS = 1_000;
const FIRING_MILLIS = 70_000;

/** Minutes become seconds, and a CPU may be shared with whoever else is on this machine. */
const hastened = (rules: string): string =>
  rules
    .replaceAll('[2m]', '[8s]')
    .replaceAll('interval: 30s', 'interval: 1s')
    .replace(/(for|keep_firing_for): \d+m/g, '$1: 3s')
    .replace('thread_spin:ratio_rate2m > 0.8', 'thread_spin:ratio_rate2m > 0.1');

describe('from a thread that spins to a firing alert', () => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-spin-alert-'));
  const place = agentPlace();
  const programs: ChildProcess[] = [];
  let prometheus: PrometheusProcess;
  let collector: ShippedCollector;
  let fixture: PowercapFixture;
  let agent: AgentProcess;

  const start = (program: string, kind: string): ChildProcess => {
    const child = spawn(`${CORPUS}build/${program}-O2`, [kind], { stdio: 'ignore' });
    programs.push(child);
    return child;
  };

  beforeAll(async () => {
    execFileSync('make', ['--silent', '-C', CORPUS], { stdio: ['ignore', 'ignore', 'inherit'] });
    const queue = join(directory, 'queue');
    mkdirSync(queue);
    const rules = hastened(readFileSync(join(RULES_DIRECTORY, 'rules.yml'), 'utf8'));
    prometheus = await PrometheusProcess.start({ 'rules.yml': rules });
    const port = await freePort();
    collector = await startCollector({
      configs: ['collector.yaml'],
      env: {
        WATTFEED_BACKEND_ENDPOINT: `${prometheus.url}/api/v1/otlp`,
        WATTFEED_QUEUE_DIRECTORY: queue,
        WATTFEED_OTLP_ENDPOINT: `127.0.0.1:${String(port)}`,
        WATTFEED_HEALTH_ENDPOINT: `127.0.0.1:${String(await freePort())}`,
      },
    });
    fixture = await startPowercapFixture(directory, [
      { id: 'intel-rapl:0', name: 'package-0', watts: 60 },
    ]);
    agent = await startAgent(place, {
      flags: [`--sysfs-root=${fixture.sysfs}`],
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
        OTEL_METRIC_EXPORT_INTERVAL: String(EXPORT_MILLIS),
      },
    });
  }, 80_000);

  afterAll(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await stopAgent(agent);
    await collector.stop();
    await fixture.stop();
    await prometheus.dispose();
    place.remove();
    rmSync(directory, { recursive: true, force: true });
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
