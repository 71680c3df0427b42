// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WindowEncoder } from '../../../receiver/trace/encode-window.js';
import { headerRecord } from '../../../receiver/trace/header.js';
import { formatRecord } from '../../../receiver/trace/parse-line.js';
import { replayFile } from '../../../receiver/trace/replay-file.js';
import { replayReport } from '../../../receiver/trace/replay-report.js';
import {
  isOverriding,
  pipelineOptionsOf,
  type SplitOverrides,
} from '../../../receiver/trace/settings.js';
import { UNNAMED } from '../../../receiver/attribution/unnamed.js';
import { documentedTrace } from '../../support/documented-trace.js';
import { rightOf } from '../../support/either.js';
import { history } from '../../support/random-window.js';
import { activityWindow, cpuSample, taskSample, topologyOf } from '../../support/windows.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-trace-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const run = async (path: string, overrides: SplitOverrides = {}, isLenient = false) =>
  replayFile({
    path,
    stdin: new PassThrough(),
    isLenient,
    setup: pipelineOptionsOf(overrides),
    isOverridden: isOverriding(overrides),
    usesRecordedCoefficients: overrides.coefficients === undefined,
    onProgress: () => undefined,
  });

const reportOf = async (
  lines: readonly string[],
  overrides: SplitOverrides = {},
  lenient = false,
) => {
  const path = join(directory, 'trace.ndjson');
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  const { replay, ...lost } = rightOf(await run(path, overrides, lenient));
  return replayReport(replay, { path, ...lost });
};

const counterZone = (id: string, fields: object = {}) => ({
  id,
  kind: 'package',
  name: id,
  package: 0,
  measure: { type: 'counter', maxWatts: 1000 },
  ...fields,
});

const header = (zones: readonly object[]): string =>
  JSON.stringify({
    ...JSON.parse(
      formatRecord(
        headerRecord({
          topology: topologyOf(2),
          plan: {
            domains: [],
            dropped: [],
            model: undefined,
            notes: [],
            longestWindowMillis: undefined,
          },
          version: 'test',
          hostName: 'h',
          monotonicNanos: 0n,
          unixNanos: 0n,
          settings: {},
        }),
      ),
    ),
    zones,
  });

const SECOND = 1_000_000_000n;

/** Window n with one task that runs half of it, and the readings given. */
const windowLine = (encoder: WindowEncoder, n: bigint, readings: readonly string[]): string =>
  formatRecord(
    encoder.encode({
      ...activityWindow({
        index: n,
        tasks: [taskSample({ tgid: 7, runtimeNanos: 500_000_000 })],
        cpus: [cpuSample({ taskNanos: 500_000_000 })],
      }),
      readings: readings.map((text) => ({
        _tag: 'FileReading',
        text,
        textLength: text.length,
        errno: 0,
        beforeNanos: activityWindow({ index: n }).endNanos,
        afterNanos: activityWindow({ index: n }).endNanos,
      })),
    }),
  );

const microjoulesOf = (report: Awaited<ReturnType<typeof reportOf>>, name: string) =>
  report.processes.find((process) => process.name === name)?.microjoules;

describe('replayFile', () => {
  it('splits the smallest trace of the documentation as it says', async () => {
    const report = await reportOf(documentedTrace());
    expect(microjoulesOf(report, 'a')).toEqual({ 'package-0': '13333333' });
    expect(microjoulesOf(report, 'b')).toEqual({ 'package-0': '6666667' });
    expect(report.conservation).toMatchObject({ closes: true, balances: 1, defects: [] });
    expect(report.trace).toMatchObject({ windows: 2, hasEnd: true, problems: [] });
    expect(report.processes.map(({ hasExited }) => hasExited)).toEqual([false, true]);
  });

  it('reads gzip by suffix, and says the same twice', async () => {
    const plain = await reportOf(documentedTrace());
    const path = join(directory, 'trace.ndjson.gz');
    writeFileSync(path, gzipSync(documentedTrace().join('\n')));
    const texts = await Promise.all(
      [1, 2].map(async () => {
        const { replay, ...lost } = rightOf(await run(path));
        return JSON.stringify({ ...replayReport(replay, { path: '', ...lost }), trace: null });
      }),
    );
    expect(texts[0]).toBe(JSON.stringify({ ...plain, trace: null }));
    expect(texts[1]).toBe(texts[0]);
  });

  it('names the line and what is wrong in it', async () => {
    const lines = documentedTrace();
    const path = join(directory, 'cut.ndjson');
    writeFileSync(path, `${lines[0] ?? ''}\n${lines[1] ?? ''}\n${(lines[2] ?? '').slice(0, 200)}`);
    expect(await run(path)).toMatchObject({
      left: { what: `read ${path} line 3`, cause: 'the line is cut off' },
    });
    const { replay, problems } = rightOf(await run(path, {}, true));
    expect(problems).toEqual([{ line: 3, cause: 'the line is cut off' }]);
    expect([replay.windows, replay.hasEnd]).toEqual([1, false]);
  });

  it('uses what was written of a compressed file that is cut', async () => {
    const encoder = new WindowEncoder(UNNAMED);
    const lines = [header([counterZone('p')])];
    for (let n = 1n; n <= 400n; n++) lines.push(windowLine(encoder, n, [String(n * 1_000_000n)]));
    const whole = gzipSync(lines.join('\n'), { level: 0 });
    const path = join(directory, 'killed.ndjson.gz');
    writeFileSync(path, whole.subarray(0, Math.floor(whole.length * 0.7)));
    const { replay, problems } = rightOf(await run(path, {}, true));
    expect(replay.windows).toBeGreaterThan(200);
    expect(problems).toHaveLength(1);
    expect(replay.hasEnd).toBe(false);
  });

  it('takes a lost line for a gap: energy over it belongs to nobody that is known', async () => {
    const encoder = new WindowEncoder(UNNAMED);
    const at = (n: bigint): string => windowLine(encoder, n, [String(n * 10_000_000n)]);
    const lines = [header([counterZone('p')]), at(1n), at(2n), at(3n), at(4n), at(5n)];
    lines[3] = '{"type":"window"}';
    const report = await reportOf(lines, {}, true);
    expect(report.trace.problems).toMatchObject([{ line: 4 }]);
    // 1 is the baseline, 3 is lost, 4 is a baseline again: 2 and 5 remain.
    expect(report.domains[0]?.measuredMicrojoules).toBe('20000000');
    expect(report.conservation.closes).toBe(true);
  });

  it.each([
    ['an empty file', [], 'the trace is empty'],
    ['a file without a header', ['{"type":"gap","windows":1}'], 'the trace has no header'],
    ['text', ['hello'], 'not JSON'],
    [
      'an unknown kind of zone',
      [header([counterZone('p', { kind: 'soul' })])],
      'zones[0].kind: soul is not known',
    ],
  ])('refuses %s even when lenient', async (_, lines, cause) => {
    const path = join(directory, 'bad.ndjson');
    writeFileSync(path, lines.join('\n'));
    expect(await run(path, {}, true)).toMatchObject({ left: { cause } });
  });

  it('says that there is no such file', async () => {
    expect(await run(join(directory, 'none'))).toMatchObject({
      left: { cause: 'there is no such file' },
    });
  });

  it('passes over records that it does not know, and counts them', async () => {
    const [first = '', ...rest] = documentedTrace();
    const report = await reportOf([first, '{"type":"weather","rain":true}', ...rest]);
    expect(report.trace.unknownRecords).toBe(1);
    expect(report.conservation.closes).toBe(true);
  });

  it('brings a source that is read at its own times to the edges of the windows', async () => {
    const encoder = new WindowEncoder(UNNAMED);
    const zones = [
      counterZone('edge'),
      counterZone('free', { package: 1, attributed: false, sampling: 'free' }),
    ];
    const reading = (seconds: number, value: number): string =>
      JSON.stringify({
        type: 'reading',
        zone: 'free',
        atNanos: String(BigInt(seconds * 10) * (SECOND / 10n)),
        value: String(value),
      });
    // Windows end at 2, 3 and 4 s; 10 W until 2.5 s, then 30 W.
    const report = await reportOf([
      header(zones),
      reading(1.5, 5_000_000),
      windowLine(encoder, 1n, ['0']),
      reading(2.5, 15_000_000),
      windowLine(encoder, 2n, ['1000000']),
      reading(3.5, 45_000_000),
      windowLine(encoder, 3n, ['2000000']),
      reading(4.5, 75_000_000),
    ]);
    // 10 J at 2 s, 30 J at 3 s, 60 J at 4 s.
    const free = report.domains.find(({ id }) => id === 'free');
    expect(free?.measuredMicrojoules).toBe('50000000');
    expect(free?.windows).toEqual({ advanced: 2, rejected: 0, failed: 0 });
  });

  it('does not wait for ever for a source that fell silent', async () => {
    const encoder = new WindowEncoder(UNNAMED);
    const zones = [counterZone('edge'), counterZone('free', { package: 1, sampling: 'free' })];
    const lines = [header(zones)];
    for (let n = 1n; n <= 100n; n++) lines.push(windowLine(encoder, n, [String(n)]));
    const report = await reportOf(lines);
    expect(report.trace.windows).toBe(100);
    expect(report.domains.find(({ id }) => id === 'free')?.windows.failed).toBe(100);
  });

  it('obeys --idle-policy and --coefficients, and then compares with no agent', async () => {
    const lines = documentedTrace();
    const equal = await reportOf(lines, { idlePolicy: 'equal' });
    expect(equal.split.settings).toMatchObject({ idlePolicy: 'equal' });
    expect(equal).not.toHaveProperty('live');
    const given = await reportOf(lines, { coefficients: { default: { packageOnWatts: 99 } } });
    expect(given.split.coefficients).toMatchObject([{ packageOnWatts: 99, coreWatts: 0.5 }]);
  });

  it('closes to the microjoule for any history of a machine', async () => {
    await fc.assert(
      fc.asyncProperty(
        history(6),
        fc.constantFrom('none', 'equal', 'active'),
        async ({ steps, topology }, idlePolicy) => {
          const encoder = new WindowEncoder(UNNAMED);
          const zones = topology.packageIds.flatMap((packageId) => [
            counterZone(`p${packageId.toString()}`, { package: packageId }),
            counterZone(`d${packageId.toString()}`, { package: packageId, kind: 'dram' }),
          ]);
          let raw = 0;
          const lines = steps.map(({ window }, n) => {
            raw += 1_000_003 * (n + 1);
            const record = encoder.encode(window);
            const readings = zones.map(() => ({
              text: String(raw),
              beforeNanos: String(window.endNanos),
              afterNanos: String(window.endNanos),
            }));
            return formatRecord({ ...record, readings });
          });
          const report = await reportOf([header(zones), ...lines], { idlePolicy });
          expect(report.conservation.defects).toEqual([]);
          expect(report.conservation.closes).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('LiveComparison', () => {
  it('tells where a replay differs from what the agent gave', async () => {
    const [head = '', first = '', second = '', end = ''] = documentedTrace();
    const live = {
      zones: [
        {
          id: 'pkg',
          deltaMicrojoules: '20000000',
          entitiesMicrojoules: '20000000',
          idleMicrojoules: '0',
          irqMicrojoules: '0',
          unattributedMicrojoules: '0',
        },
      ],
      tasks: { package: [13_333_333, 6_666_667], dram: [0, 0] },
    };
    const withLive = (tasks: typeof live.tasks): string =>
      JSON.stringify({ ...JSON.parse(second), live: { ...live, tasks } });
    const same = await reportOf([head, first, withLive(live.tasks), end]);
    expect(same.live).toEqual({ comparedWindows: 1, equalWindows: 1, differences: [] });
    const other = { package: [13_333_334, 6_666_666], dram: [0, 0] };
    const differing = await reportOf([head, first, withLive(other), end]);
    expect(differing.live).toEqual({
      comparedWindows: 1,
      equalWindows: 0,
      differences: ['window 2: package of tasks[0]: live 13333334, replayed 13333333 uJ'],
    });
  });
});
