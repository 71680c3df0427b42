// SPDX-License-Identifier: Apache-2.0
/**
 * From a context switch to a Collector: the built agent as a process on a moving powercap tree, with the
 * Collector gone for a minute in between.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPlace, startAgent, stopAgent } from '../../support/agent-process.js';
import { CollectorProcess } from '../../support/collector-process.js';
import { buildLoads, startLoad } from '../../support/kernel/load.js';
import { pointsOf, type ReceivedPoint } from '../../support/otlp-json.js';
import { startPowercapFixture, type FixtureSnapshot } from '../../support/powercap-fixture.js';
import { until } from '../../support/until.js';

const OUTAGE_SECONDS = Number(process.env['WATTFEED_OUTAGE_SECONDS'] ?? 60);
const INTERVAL_MILLIS = 2_000;
const CUMULATIVE = 2;
const PACKAGE = 'intel-rapl:0';
const DRAM = 'intel-rapl:0:0';

interface Run {
  readonly points: readonly ReceivedPoint[];
  readonly recoverySeconds: number;
  readonly log: string;
  readonly exitCode: number | null;
  /** Just after the agent's first reading, and after its last. */
  readonly first: FixtureSnapshot;
  readonly last: FixtureSnapshot;
  readonly burnerPid: number;
}

const wait = async (durationMillis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMillis);
  });

const runThroughOutage = async (collector: CollectorProcess, root: string): Promise<Run> => {
  const fixture = await startPowercapFixture(root, [
    { id: PACKAGE, name: 'package-0', watts: 60 },
    { id: DRAM, name: 'dram', watts: 8 },
  ]);
  const place = agentPlace();
  const first = await fixture.snapshot();
  const agent = await startAgent(place, {
    flags: [`--sysfs-root=${fixture.sysfs}`],
    env: {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_METRIC_EXPORT_INTERVAL: String(INTERVAL_MILLIS),
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    },
  });
  const burner = await startLoad('burn', [3_600]);
  await until('three exports', () => collector.lines().length >= 3, 30_000);
  await collector.stop();
  const before = collector.lines().length;
  await wait(OUTAGE_SECONDS * 1000);
  await collector.start();
  const back = performance.now();
  await until('the first export after the outage', () => collector.lines().length > before, 30_000);
  const recoverySeconds = (performance.now() - back) / 1000;
  await wait(INTERVAL_MILLIS);
  const { code } = await stopAgent(agent);
  const last = await fixture.snapshot();
  await burner.stop();
  await fixture.stop();
  await collector.stop();
  place.remove();
  const points = pointsOf(collector.lines());
  return {
    points,
    recoverySeconds,
    log: agent.log(),
    exitCode: code,
    first,
    last,
    burnerPid: burner.pid,
  };
};

describe('the agent and a real Collector that is away for a while', () => {
  const root = mkdtempSync(join(tmpdir(), 'wattfeed-outage-'));
  let collector: CollectorProcess;
  let run: Run;
  const named = (name: string): readonly ReceivedPoint[] =>
    run.points.filter((point) => point.name === name);
  const lastOf = (points: readonly ReceivedPoint[]): ReceivedPoint => {
    const point = points.at(-1);
    if (point === undefined) throw new Error('no point received');
    return point;
  };

  beforeAll(
    async () => {
      buildLoads();
      collector = await CollectorProcess.start();
      run = await runThroughOutage(collector, root);
    },
    (OUTAGE_SECONDS + 80) * 1000,
  );
  afterAll(async () => {
    await collector.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it('delivers energy that only rises, cumulative, in joules, with one start time', () => {
    const energy = named('hw.energy').filter(({ attributes }) => attributes['hw.id'] === PACKAGE);
    expect(energy.length).toBeGreaterThan(3);
    for (const point of energy) {
      expect(point).toMatchObject({ unit: 'J', kind: 'counter', temporality: CUMULATIVE });
      expect(point.startNanos).toBe(energy[0]?.startNanos);
      expect(point.endNanos).toBeGreaterThan(point.startNanos);
    }
    const values = energy.map(({ value }) => value);
    expect(values).toEqual([...values].sort((a, b) => a - b));
  });

  it('names the host and the agent in the resource', () => {
    expect(lastOf(run.points).resource).toMatchObject({
      'service.name': 'wattfeed',
      'os.type': 'linux',
      'deployment.environment.name': 'test',
    });
    expect(lastOf(run.points).resource['host.name']).toBeTruthy();
  });

  it('has lost nothing: the total after the outage is what the counters emitted', () => {
    for (const id of [PACKAGE, DRAM]) {
      const received = lastOf(
        named('hw.energy').filter(({ attributes }) => attributes['hw.id'] === id),
      ).value;
      const emitted =
        (run.last.emittedMicrojoules.get(id) ?? 0n) - (run.first.emittedMicrojoules.get(id) ?? 0n);
      const seconds = Number(run.last.atNanos - run.first.atNanos) / 1e9;
      const joulesEmitted = Number(emitted) / 1e6;
      expect(received).toBeLessThanOrEqual(joulesEmitted);
      // Less only what was spent before the agent's first reading and after its last.
      expect(received).toBeGreaterThan(joulesEmitted * (1 - 8 / seconds));
    }
  });

  it('charges the burner, which the kernel side has seen, in the same last export', () => {
    const burner = named('wattfeed.process.energy').filter(
      ({ attributes }) =>
        attributes['process.pid'] === run.burnerPid && attributes['wattfeed.domain'] === 'package',
    );
    const value = lastOf(burner).value;
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThan(
      lastOf(named('hw.energy').filter(({ attributes }) => attributes['hw.id'] === PACKAGE)).value,
    );
  });

  it('recovers within two intervals and says each change once', () => {
    expect(run.recoverySeconds).toBeLessThanOrEqual((2 * INTERVAL_MILLIS) / 1000 + 0.5);
    expect(run.log.match(/unreachable/g)).toHaveLength(1);
    expect(run.log.match(/works again/g)).toHaveLength(1);
    expect(run.exitCode).toBe(0);
  });
});
