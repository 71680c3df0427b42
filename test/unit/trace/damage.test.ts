// SPDX-License-Identifier: Apache-2.0
/** Traces that are wrong: whatever is in them, a replay says so, and never ends in a stack or a false sum. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replayFile } from '../../../receiver/trace/replay-file.js';
import { replayReport } from '../../../receiver/trace/replay-report.js';
import { traceLines } from '../../../receiver/trace/lines.js';
import { pipelineOptionsOf, type SplitOverrides } from '../../../receiver/trace/settings.js';
import { documentedTrace } from '../../support/documented-trace.js';
import { rightOf } from '../../support/either.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-damage-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const replayOf = async (path: string, isLenient = false, overrides: SplitOverrides = {}) =>
  replayFile({
    path,
    stdin: new PassThrough(),
    isLenient,
    setup: pipelineOptionsOf(overrides),
    isOverridden: false,
    usesRecordedCoefficients: overrides.coefficients === undefined,
    onProgress: () => undefined,
  });

const write = (content: string | Buffer, name = 'trace.ndjson'): string => {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
};

const reportOf = async (lines: readonly string[], isLenient = false) => {
  const { replay, ...lost } = rightOf(await replayOf(write(lines.join('\n')), isLenient));
  return replayReport(replay, { path: '', ...lost });
};

const [HEAD = '', FIRST = '', SECOND = '', END = ''] = documentedTrace();

/** The line with what is at the path replaced. */
const changed = (line: string, path: readonly (string | number)[], value: unknown): string => {
  const change = (node: unknown, [name, ...rest]: readonly (string | number)[]): unknown => {
    if (name === undefined) return value;
    if (Array.isArray(node))
      return node.map((item: unknown, at) => (at === name ? change(item, rest) : item));
    const fields = typeof node === 'object' && node !== null ? { ...node } : {};
    return {
      ...fields,
      [name]: change(Object.entries(fields).find(([key]) => key === name)?.[1], rest),
    };
  };
  return JSON.stringify(change(JSON.parse(line), path));
};

describe('replayFile, of a trace whose values are wrong', () => {
  it.each([
    ['a part of a nanosecond', 2, ['tasks', 0, 'runtimeNanos'], 0.5, 'tasks[0].runtimeNanos: '],
    ['time of more than 52 days', 2, ['cpus', 0, 'taskNanos'], 1e17, 'cpus[0].taskNanos: '],
    ['more than is summed exactly', 2, ['tasks', 1, 'runtimeNanos'], 2 ** 53 - 1, 'runtimeNanos: '],
    ['a unit of nothing', 0, ['zones', 0, 'measure', 'unitNumerator'], '0', 'above 0'],
    ['a unit divided by 0', 0, ['zones', 0, 'measure', 'unitDenominator'], '0', 'above 0'],
    ['a limit of no watts', 0, ['zones', 0, 'measure', 'maxWatts'], 0, 'above 0'],
    ['more watts than there are', 0, ['zones', 0, 'measure', 'maxWatts'], 1e300, 'maxWatts: '],
    ['an idle power beyond all bounds', 0, ['settings'], { idleWatts: 1e300 }, 'idleWatts: '],
    ['a window of 500 years', 2, ['endNanos'], '18446744073709551615', '52 days'],
  ])('names the line of %s and what is wrong', async (_, line, path, value, cause) => {
    const lines = [HEAD, FIRST, SECOND, END];
    lines[line] = changed(lines[line] ?? '', path, value);
    const replayed = await replayOf(write(lines.join('\n')));
    expect(replayed).toMatchObject({
      left: {
        what: expect.stringMatching(new RegExp(` line ${String(line + 1)}$`)),
        cause: expect.stringContaining(cause),
      },
    });
  });

  it('refuses two zones of one id', async () => {
    const head: unknown = JSON.parse(HEAD);
    const zones: unknown =
      typeof head === 'object' && head !== null && 'zones' in head ? head.zones : undefined;
    const twice = changed(HEAD, ['zones'], [zones, zones].flat());
    expect(await replayOf(write([twice, FIRST, SECOND].join('\n')))).toMatchObject({
      left: { cause: 'zones[1].id: pkg is there twice' },
    });
  });

  it('ends in a complaint or in sums that close, whatever one value is', async () => {
    const leaves = (
      node: unknown,
      path: readonly (string | number)[] = [],
    ): (string | number)[][] => {
      if (Array.isArray(node))
        return node.flatMap((item: unknown, at) => leaves(item, [...path, at]));
      if (typeof node !== 'object' || node === null) return [[...path]];
      return Object.entries(node).flatMap(([name, child]) => leaves(child, [...path, name]));
    };
    const places = [HEAD, FIRST, SECOND, END].flatMap((line, at) =>
      leaves(JSON.parse(line)).map((path) => ({ at, path })),
    );
    const odd = fc.oneof(
      fc.constantFrom<unknown>(
        ...[0, -1, 0.5, 1e15, 9_007_199_254_740_991, 1e300, null, true, '', '0', '-1', '1.5', 'x'],
        ...['18446744073709551615', '99999999999999999999', '__proto__', [], {}, [{}], [null]],
      ),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        odd,
        fc.boolean(),
        async ({ at, path }, value, isLenient) => {
          const lines = [HEAD, FIRST, SECOND, END];
          lines[at] = changed(lines[at] ?? '', path, value);
          const replayed = await replayOf(write(lines.join('\n')), isLenient);
          if (replayed._tag === 'Left') return;
          const { replay, ...lost } = replayed.right;
          const { conservation } = replayReport(replay, { path: '', ...lost });
          expect(conservation).toMatchObject({ defects: [], closes: true });
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe('replayFile, of a trace whose lines are wrong', () => {
  it.each([
    [
      'a window that is there twice',
      [HEAD, FIRST, SECOND, SECOND, END],
      4,
      'before the last window ended',
    ],
    ['windows in another order', [HEAD, SECOND, FIRST, END], 3, 'before the last window ended'],
    [
      'a window that is missing',
      [HEAD, FIRST, changed(changed(SECOND, ['startNanos'], '1000000001'), ['index'], '3'), END],
      3,
      'windows are missing before it',
    ],
    ['a window behind the end', [HEAD, FIRST, END, SECOND], 4, 'behind the end'],
    ['a second header', [HEAD, FIRST, HEAD, SECOND], 3, 'a second header'],
  ])('names the line of %s, and leaves it out when lenient', async (_, lines, line, cause) => {
    expect(await replayOf(write(lines.join('\n')))).toMatchObject({
      left: {
        what: expect.stringMatching(new RegExp(` line ${String(line)}$`)),
        cause: expect.stringContaining(cause),
      },
    });
    const report = await reportOf(lines, true);
    expect(report.trace.problems).toMatchObject([{ line }]);
    expect(report.conservation.closes).toBe(true);
  });

  it('takes windows behind a gap that is told', async () => {
    const late = changed(changed(SECOND, ['startNanos'], '5000000000'), ['endNanos'], '6000000000');
    const report = await reportOf([HEAD, FIRST, '{"type":"gap","windows":4}', late, END]);
    expect(report.trace).toMatchObject({ windows: 2, skippedWindows: 4, problems: [] });
  });

  it('counts all lines that it passed over, and lists the first hundred', async () => {
    const junk = Array.from({ length: 150 }, () => 'junk');
    const { trace } = await reportOf([HEAD, FIRST, ...junk, SECOND, END], true);
    expect([trace.problems.length, trace.lostLines]).toEqual([100, 150]);
  });
});

describe('replayFile, of what is no trace', () => {
  const lines = [HEAD, FIRST, SECOND, END].join('\n');

  it('passes over a byte order mark and carriage returns', async () => {
    const report = await reportOf([`\ufeff${HEAD}\r`, `${FIRST}\r`, `${SECOND}\r`, END]);
    expect(report.trace).toMatchObject({ windows: 2, hasEnd: true, problems: [] });
  });

  it.each([
    ['a directory', () => directory, 'it is a directory'],
    ['no file', () => join(directory, 'none'), 'there is no such file'],
    ['an empty file', () => write('', 'empty'), 'the trace is empty'],
    [
      'plain text that is called .gz',
      () => write(lines, 'a.gz'),
      'it ends in .gz and is not compressed',
    ],
  ])('says of %s what it is, and of no line', async (_, path, cause) => {
    const named = path();
    expect(await replayOf(named)).toMatchObject({ left: { what: `read ${named}`, cause } });
  });

  it.each([
    [
      'compressed data without .gz',
      () => gzipSync(lines),
      'compressed data: the name must end in .gz',
    ],
    ['binary data', () => Buffer.from([0, 1, 2, 255, 10]), 'not JSON'],
    ['text', () => 'hello', 'not JSON'],
    ['half a line', () => HEAD.slice(0, 90), 'the line is cut off'],
  ])('says of %s in its first line what is wrong', async (_, content, cause) => {
    expect(await replayOf(write(content()))).toMatchObject({ left: { cause } });
  });

  it('refuses coefficients of a core type that no CPU is of', async () => {
    const coefficients = { corre: { cycleNanojoules: 1 } };
    expect(await replayOf(write(lines), false, { coefficients })).toMatchObject({
      left: { cause: expect.stringContaining('"corre"') },
    });
  });
});

describe('traceLines', () => {
  it('finds the end of a line of 48 MB in a time that rises with its length only', async () => {
    const path = join(directory, 'long.ndjson');
    execFileSync('bash', [
      '-c',
      `head -c 48000000 /dev/zero | tr '\\0' x >"$1"; echo >>"$1"`,
      '-',
      path,
    ]);
    const before = process.cpuUsage().user;
    for await (const item of traceLines(path, new PassThrough()))
      expect(item.type === 'line' && item.text.length).toBe(48_000_000);
    // Searching from the line's begin with each piece takes half a minute.
    expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
  });
});
