// SPDX-License-Identifier: Apache-2.0
/** Threads of a real program from the context switch to a real Collector, and what they sum to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPlace, startAgent, stopAgent } from '../../support/agent-process.js';
import { CollectorProcess } from '../../support/collector-process.js';
import { buildLoads, startLoad } from '../../support/kernel/load.js';
import { pointsOf, type ReceivedPoint } from '../../support/otlp-json.js';
import { startPowercapFixture } from '../../support/powercap-fixture.js';
import { Backend, microjoulesIn, type Series } from '../../support/received.js';
import { until } from '../../support/until.js';

const CPU_MILLIS = [200, 100, 50];
const NAMES = ['team-0', 'team-1', 'team-2'];
/** The accounting's own promise. */
const MISSED_RATIO = 0.002;
/** After its burning a thread has to wait for the others and to end. */
const MORE_SECONDS = 0.02;
/** Nobody is without a series for want of room, so that sums of series are sums of threads. */
const FLAGS = [
  '--export-levels-thread=true',
  '--export-cpu-time-thread=true',
  '--export-max-thread-series=100000',
  '--export-max-process-series=100000',
  '--window-millis=250',
];
const WITHIN_MILLIS = 40_000;

interface Run {
  readonly backend: Backend;
  readonly teamPid: number;
  /** Points of the last request before the agent was told to stop, and all after. */
  readonly afterwards: readonly ReceivedPoint[];
  readonly log: string;
}

const isThreadPoint = ({ name, attributes }: ReceivedPoint, pid: number): boolean =>
  name === 'wattfeed.thread.energy' && attributes['process.pid'] === pid;

const run = async (collector: CollectorProcess, root: string): Promise<Run> => {
  const fixture = await startPowercapFixture(root, [
    { id: 'intel-rapl:0', name: 'package-0', watts: 60 },
  ]);
  const place = agentPlace();
  const agent = await startAgent(place, {
    flags: [`--sysfs-root=${fixture.sysfs}`, ...FLAGS],
    env: {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
    },
  });
  const team = await startLoad('team', CPU_MILLIS);
  expect(await team.act()).toBe('done');
  const seen = (from: number): readonly ReceivedPoint[] => pointsOf(collector.lines().slice(from));
  const hasAll = (): boolean => {
    const names = new Set(
      seen(0)
        .filter((point) => isThreadPoint(point, team.pid))
        .map(({ attributes }) => attributes['thread.name']),
    );
    return NAMES.every((name) => names.has(name));
  };
  await until('every thread to have arrived', hasAll, WITHIN_MILLIS);
  expect(await team.act()).toBe('gone');
  let before = collector.lines().length;
  const areGone = (): boolean => {
    const points = seen(before);
    if (!points.some(({ name }) => name === 'wattfeed.thread.exited.energy')) return false;
    const isThere = points.some(
      (point) =>
        isThreadPoint(point, team.pid) && NAMES.includes(String(point.attributes['thread.name'])),
    );
    if (!isThere) return true;
    before = collector.lines().length;
    return false;
  };
  await until('the ended threads to be sent no longer', areGone, WITHIN_MILLIS);
  await stopAgent(agent);
  await team.stop();
  await fixture.stop();
  await collector.stop();
  place.remove();
  const backend = new Backend();
  backend.takeReceived(seen(0));
  return { backend, teamPid: team.pid, afterwards: seen(before), log: agent.log() };
};

describe('the agent and a real Collector: threads', () => {
  const root = mkdtempSync(join(tmpdir(), 'wattfeed-threads-'));
  let collector: CollectorProcess;
  let result: Run;
  const seriesOf = (metric: string): readonly Series[] =>
    [...result.backend.series.values()].filter(
      (one) => one.metric === metric && one.attributes['process.pid'] === result.teamPid,
    );
  const named = (metric: string, name: string): Series => {
    const [found, ...others] = seriesOf(metric).filter(
      ({ attributes }) => attributes['thread.name'] === name,
    );
    if (found === undefined) throw new Error(`${metric} of ${name} has not arrived`);
    expect(others).toEqual([]);
    return found;
  };
  const joules = (metric: string): bigint =>
    seriesOf(metric).reduce((sum, { increase }) => sum + increase, 0n);

  beforeAll(async () => {
    buildLoads();
    collector = await CollectorProcess.start();
    result = await run(collector, root);
  }, 120_000);
  afterAll(async () => {
    await collector.dispose();
    rmSync(root, { recursive: true, force: true });
  });

  it('receives each thread under its own name, with the CPU time that it burned', () => {
    NAMES.forEach((name, at) => {
      const burned = (CPU_MILLIS[at] ?? 0) / 1000;
      const { value, attributes } = named('wattfeed.thread.cpu.time', name);
      expect(value).toBeGreaterThanOrEqual(burned * (1 - MISSED_RATIO));
      expect(value).toBeLessThanOrEqual(burned + MORE_SECONDS);
      expect(attributes['thread.id']).not.toBe(result.teamPid);
    });
    const tids = NAMES.map((name) => named('wattfeed.thread.energy', name).attributes['thread.id']);
    expect(new Set(tids).size).toBe(NAMES.length);
  });

  it('receives threads under the identity of their process', () => {
    const [process] = seriesOf('wattfeed.process.energy');
    const created = process?.attributes['process.creation.time'];
    expect(typeof created).toBe('string');
    for (const { attributes } of seriesOf('wattfeed.thread.energy')) {
      expect(attributes['process.creation.time']).toBe(created);
    }
  });

  it('receives threads that sum to their process, to the microjoule', () => {
    expect(joules('wattfeed.process.energy')).toBeGreaterThan(0n);
    expect(joules('wattfeed.thread.energy')).toBe(joules('wattfeed.process.energy'));
  });

  it('receives all threads of the host rising by what all processes rise', () => {
    const { backend } = result;
    expect(backend.faults).toEqual([]);
    expect(backend.increaseOf('wattfeed.thread.energy', 'package')).toBe(
      backend.increaseOf('wattfeed.process.energy', 'package'),
    );
  });

  it('is told the sum of ended threads instead of their series', () => {
    const ended = NAMES.reduce(
      (sum, name) => sum + microjoulesIn(named('wattfeed.thread.energy', name).value),
      0n,
    );
    const exited = result.afterwards
      .filter(({ name }) => name === 'wattfeed.thread.exited.energy')
      .map(({ value }) => microjoulesIn(value));
    expect(exited.at(-1)).toBeGreaterThanOrEqual(ended);
    expect(result.log).not.toContain('ledger does not close');
  });
});
