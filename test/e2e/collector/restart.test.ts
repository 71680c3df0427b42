// SPDX-License-Identifier: Apache-2.0
/** The agent is killed, the counters go on, and another agent starts: no joule is lost or counted twice. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentPlace, startAgent, stopAgent, type AgentPlace } from '../../support/agent-process.js';
import { CollectorProcess } from '../../support/collector-process.js';
import { pointsOf, type ReceivedPoint } from '../../support/otlp-json.js';
import { startPowercapFixture } from '../../support/powercap-fixture.js';
import { until } from '../../support/until.js';

const DOWN_SECONDS = 20;
const INTERVAL_MILLIS = 1_000;
const ZONES = [
  { id: 'intel-rapl:0', name: 'package-0', watts: 60 },
  { id: 'intel-rapl:0:0', name: 'dram', watts: 8 },
] as const;

const stateFile = z.object({ domains: z.record(z.string(), z.object({ raw: z.string() })) });

const rawReadings = ({ directory }: AgentPlace): ReadonlyMap<string, bigint> => {
  const text = readFileSync(join(directory, 'state', 'readings.json'), 'utf8');
  const { domains } = stateFile.parse(JSON.parse(text));
  return new Map(Object.entries(domains).map(([id, { raw }]) => [id, BigInt(raw)]));
};

const microjoules = ({ value }: ReceivedPoint): bigint => BigInt(Math.round(value * 1e6));

interface Run {
  readonly before: ReadonlyMap<string, bigint>;
  readonly after: ReadonlyMap<string, bigint>;
  readonly first: readonly ReceivedPoint[];
  readonly second: readonly ReceivedPoint[];
  readonly downSeconds: number;
}

const runTwice = async (collector: CollectorProcess, root: string): Promise<Run> => {
  const fixture = await startPowercapFixture(root, ZONES);
  const place = agentPlace();
  const start = () =>
    startAgent(place, {
      flags: [`--sysfs-root=${fixture.sysfs}`],
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_METRIC_EXPORT_INTERVAL: String(INTERVAL_MILLIS),
      },
    });
  const killed = await start();
  const hasMeasured = (from: number): boolean =>
    pointsOf(collector.lines().slice(from)).some(
      ({ name, value }) => name === 'hw.energy' && value > 0,
    );
  await until('energy of the first agent', () => hasMeasured(0), 40_000);
  killed.child.kill('SIGKILL');
  await killed.exited;
  const downSince = performance.now();
  const lines = collector.lines().length;
  const before = rawReadings(place);
  await new Promise((resolve) => setTimeout(resolve, DOWN_SECONDS * 1000));
  const agent = await start();
  const downSeconds = (performance.now() - downSince) / 1000;
  await until('energy of the second agent', () => hasMeasured(lines), 40_000);
  await stopAgent(agent);
  const after = rawReadings(place);
  await fixture.stop();
  await collector.stop();
  place.remove();
  return {
    before,
    after,
    first: pointsOf(collector.lines().slice(0, lines)),
    second: pointsOf(collector.lines().slice(lines)),
    downSeconds,
  };
};

describe('an agent that is killed and started again in the same boot', () => {
  const root = mkdtempSync(join(tmpdir(), 'wattfeed-restart-'));
  let collector: CollectorProcess;
  let run: Run;
  const lastOf = (
    points: readonly ReceivedPoint[],
    name: string,
    attributes: Readonly<Record<string, string>>,
  ): ReceivedPoint | undefined =>
    points.findLast(
      (point) =>
        point.name === name &&
        Object.entries(attributes).every(([key, value]) => point.attributes[key] === value),
    );

  beforeAll(
    async () => {
      collector = await CollectorProcess.start();
      run = await runTwice(collector, root);
    },
    (DOWN_SECONDS + 100) * 1000,
  );
  afterAll(async () => {
    await collector.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it.each(ZONES)('reports of $name all that the counter rose by, to the microjoule', ({ id }) => {
    const total = lastOf(run.second, 'hw.energy', { 'hw.id': id });
    if (total === undefined) throw new Error('no energy of the second agent');
    expect(microjoules(total)).toBe((run.after.get(id) ?? 0n) - (run.before.get(id) ?? 0n));
  });

  it.each(ZONES)('gives what $name burned in between to nobody', ({ id, watts }) => {
    const missed = lastOf(run.second, 'wattfeed.unattributed.energy', {
      'hw.id': id,
      'wattfeed.reason': 'agent_down',
    });
    expect(Number(missed?.value)).toBeGreaterThanOrEqual(watts * DOWN_SECONDS);
    // The last delivered export of the first agent was up to two intervals before its end.
    expect(Number(missed?.value)).toBeLessThan(watts * (run.downSeconds + 15));
    const covered = (result: string): number =>
      Number(
        lastOf(run.second, 'wattfeed.coverage.time', {
          'hw.id': id,
          'wattfeed.result': result,
        })?.value,
      );
    expect(covered('agent_down')).toBeGreaterThanOrEqual(DOWN_SECONDS);
    expect(covered('gap')).toBe(0);
    expect(covered('accounted')).toBeGreaterThan(0);
  });

  it('begins with a new start time, and no series falls', () => {
    const energy = (points: readonly ReceivedPoint[]) =>
      points.filter(
        ({ name, attributes }) => name === 'hw.energy' && attributes['hw.id'] === ZONES[0].id,
      );
    const [first] = energy(run.first);
    const [second] = energy(run.second);
    expect(second?.startNanos).not.toBe(first?.startNanos);
    for (const points of [energy(run.first), energy(run.second)]) {
      const values = points.map(({ value }) => value);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
  });
});
