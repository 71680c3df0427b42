// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTRUMENTS, type Instrument } from '../../../receiver/export/instruments.js';
import { serviceInstanceId } from '../../../receiver/export/resource.js';
import { rightOf } from '../../support/either.js';
import {
  CollectorProcess,
  CONFIG_DIRECTORY,
  collectorBinary,
} from '../../support/collector-process.js';
import { ExportingAgent, HOST_ID } from '../../support/exporting-agent.js';
import { START_UNIX_MILLIS, type MovingProcess } from '../../support/moving-ledger.js';
import { pointsOf, type ReceivedPoint } from '../../support/otlp-json.js';
import { microjoulesIn } from '../../support/received.js';

const DELTA = 1;
const CUMULATIVE = 2;

const sumOf = (points: readonly ReceivedPoint[], name: string, domain: string): bigint =>
  points
    .filter((point) => point.name === name && point.attributes['wattfeed.domain'] === domain)
    .reduce((sum, { value }) => sum + microjoulesIn(value), 0n);

const QUIET_IN_DELTA = [
  'wattfeed.irq.energy',
  'wattfeed.unattributed.energy',
  'wattfeed.coverage.time',
  'wattfeed.bpf.recursion_misses',
  'wattfeed.export.rebuilds',
  'wattfeed.export.anomalies',
];
/** Levels that are empty in this ledger: restart.test.ts and kubernetes-names.test.ts send some of them. */
const EMPTY_LEVELS = ['container', 'pod', 'job', 'unit', 'user', 'name'];
/** Nothing failed, no cgroup was removed, no counter model is at work, and there are no graphics. */
const NOTHING_TO_TELL = [
  'wattfeed.export.failures',
  'wattfeed.cgroup.removed.energy',
  'wattfeed.cgroup.removed.cpu.time',
  'wattfeed.igpu.energy',
  'wattfeed.model.error',
  'wattfeed.model.state',
  'wattfeed.split.counted',
  // spin-alert.test.ts has these, of a thread that really spins
  'wattfeed.spin.energy',
  'wattfeed.spin.time',
  'wattfeed.spin.active',
  ...EMPTY_LEVELS.flatMap((level) =>
    ['energy', 'cpu.time', 'removed.energy', 'removed.cpu.time'].map(
      (what) => `wattfeed.${level}.${what}`,
    ),
  ),
];

describe.each(['cumulative', 'delta'] as const)('a real Collector, %s', (temporality) => {
  let collector: CollectorProcess;
  let agent: ExportingAgent;
  let early: MovingProcess;
  let points: readonly ReceivedPoint[];

  beforeAll(async () => {
    collector = await CollectorProcess.start();
    agent = new ExportingAgent({
      endpoint: collector.endpoint,
      exportsThreads: true,
      environment: {
        OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_METRIC_EXPORT_INTERVAL: '3600000',
      },
    });
    const { ledger } = agent;
    early = ledger.begin(100, 1n, 'early');
    const gone = ledger.begin(101, 1n, 'gone');
    ledger.idleMicrojoules = 7_000_001n;
    ledger.burn(early, 1_234_567n);
    ledger.burn(gone, 2_000_003n);
    agent.closeWindow();
    await agent.running.flush();
    gone.isExited = true;
    ledger.burn(ledger.begin(102, 2n, 'late'), 999_999n);
    ledger.burn(early, 10n);
    agent.closeWindow();
    await agent.running.flush();
    agent.closeWindow();
    rightOf(await agent.running.shutdown(5_000)());
    // Stopped, it has written all that it acknowledged.
    await collector.stop();
    points = pointsOf(collector.lines());
  });

  afterAll(() => collector.dispose());

  it('receives each instrument of the table with its unit, kind and temporality', () => {
    const isDelta = temporality === 'delta';
    // What has never happened is not told in delta mode.
    const silent = new Set<string>(NOTHING_TO_TELL);
    for (const quiet of isDelta ? QUIET_IN_DELTA : []) silent.add(quiet);
    const expected = Object.values<Instrument>(INSTRUMENTS)
      .filter(({ name }) => !silent.has(name))
      .map(({ name, unit, kind, description }) => ({ name, unit, kind, description }));
    const received = new Map(
      points.map(({ name, unit, kind, description }) => [name, { name, unit, kind, description }]),
    );
    const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
    expect([...received.values()].sort(byName)).toEqual(expected.sort(byName));
    for (const point of points) {
      const wanted =
        point.kind === 'gauge' ? 0 : isDelta && point.kind === 'counter' ? DELTA : CUMULATIVE;
      expect([point.name, point.temporality]).toEqual([point.name, wanted]);
    }
  });

  it('receives nothing but attributes of the table', () => {
    for (const { name, attributes } of points) {
      const instrument = Object.values<Instrument>(INSTRUMENTS).find((one) => one.name === name);
      const allowed = instrument?.attributes.length ?? 0;
      expect(Object.keys(attributes).length, name).toBeLessThanOrEqual(allowed);
    }
  });

  it('receives one resource: this host, seen by this agent', () => {
    for (const { resource, scope, schemaUrl } of points) {
      expect(scope).toBe('wattfeed');
      expect(schemaUrl).toMatch(/^https:\/\/opentelemetry\.io\/schemas\//);
      expect(resource).toEqual({
        'service.name': 'wattfeed',
        'service.version': '1.2.3',
        'service.instance.id': serviceInstanceId(HOST_ID, 'node-1'),
        'host.name': 'node-1',
        'host.id': HOST_ID,
        'os.type': 'linux',
        'deployment.environment.name': 'test',
      });
    }
  });

  it('receives an identity that no re-used pid can have', () => {
    const point = points.find(({ attributes }) => attributes['process.pid'] === 100);
    expect(point?.attributes).toEqual({
      'process.pid': 100,
      'process.creation.time': new Date(START_UNIX_MILLIS).toISOString(),
      'process.executable.name': 'early',
      'process.owner': 'root',
      'process.linux.cgroup': '/slice-1',
      'wattfeed.domain': 'package',
      'wattfeed.origin': 'measured',
      'wattfeed.split': 'time',
    });
  });

  it('receives start times that mean what they say', () => {
    const of = (pid: number) =>
      points.filter(
        ({ name, attributes }) =>
          name === 'wattfeed.process.energy' &&
          attributes['process.pid'] === pid &&
          attributes['wattfeed.domain'] === 'package',
      );
    const start = BigInt(START_UNIX_MILLIS) * 1_000_000n;
    const window = 200_000_000n;
    expect(of(100)[0]).toMatchObject({ startNanos: start, endNanos: start + window });
    const second = temporality === 'delta' ? start + window : start;
    expect(of(100)[1]).toMatchObject({ startNanos: second, endNanos: start + 2n * window });
    expect(of(102)[0]?.startNanos).toBe(start + window);
  });

  it('receives the ledger to the microjoule', () => {
    const total = agent.ledger.total();
    for (const domain of ['package', 'dram'] as const) {
      if (temporality === 'delta') {
        expect(sumOf(points, 'wattfeed.process.energy', domain)).toBe(total[domain]);
        expect(sumOf(points, 'wattfeed.cgroup.energy', domain)).toBe(total[domain]);
        continue;
      }
      const lastEnd = points.reduce(
        (last, { endNanos }) => (endNanos > last ? endNanos : last),
        0n,
      );
      const last = points.filter(({ endNanos }) => endNanos === lastEnd);
      const processes =
        sumOf(last, 'wattfeed.process.energy', domain) +
        sumOf(last, 'wattfeed.process.exited.energy', domain);
      expect(processes).toBe(total[domain]);
      const idle = sumOf(last, 'wattfeed.idle.energy', domain);
      expect(sumOf(last, 'hw.energy', domain)).toBe(total[domain] + idle);
      expect(sumOf(last, 'wattfeed.cgroup.energy', domain)).toBe(total[domain]);
    }
  });

  it('receives the tree of domains and the meter of the whole machine apart from them', () => {
    const core = points.find(({ attributes }) => attributes['hw.id'] === 'intel-rapl:0:0');
    expect(core?.attributes).toMatchObject({ 'hw.parent': 'intel-rapl:0', 'hw.type': 'cpu' });
    const psys = points.filter(({ name }) => name === 'hw.host.energy');
    expect(psys.map(({ attributes }) => attributes['hw.name'])).toContain('psys');
    expect(
      points.some(
        ({ name, attributes }) => name === 'hw.energy' && attributes['hw.name'] === 'psys',
      ),
    ).toBe(false);
    expect(points.find(({ name }) => name === 'wattfeed.rest.power')?.value).toBe(-5);
  });

  it('lets the agent say nothing, for nothing went wrong', () => {
    expect(agent.said).toEqual([]);
    expect(agent.running.counts.dropped).toBe(0n);
  });
});

describe('otel-config', () => {
  it.each(['collector.yaml', 'collector.test.yaml'])('%s is valid for the Collector', (name) => {
    const env = {
      PATH: process.env['PATH'],
      WATTFEED_QUEUE_DIRECTORY: '/tmp',
      WATTFEED_TEST_PORT: '4317',
      WATTFEED_TEST_FILE: '/tmp/unused',
    };
    const validate = (): string =>
      execFileSync(collectorBinary(), ['validate', '--config', join(CONFIG_DIRECTORY, name)], {
        encoding: 'utf8',
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    expect(validate).not.toThrow();
  });
});
