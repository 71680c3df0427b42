// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  powerFeedCgroupHalf,
  powerFeedPackageHalf,
  powerFeedState,
  powerFeedStateHalf,
  powerFeedStatus,
} from '../../../native/feed-layout.generated.js';
import { encodeRecords, readRecords } from '../../../policy/record-bytes.js';
import { feedText } from '../../../receiver/feed/feed-text.js';
import { emptyDocument, feedDocument } from '../../../receiver/feed/feed-view.js';
import { parseRecordedFile } from '../../../receiver/feed/recorded.js';
import { parseSetFile, parseSetLine, type SetLine } from '../../../receiver/feed/set-lines.js';
import { simulatedHalves, withLines } from '../../../receiver/feed/simulate.js';

const NOW = 5_000_000_000_000n;
const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};
const settings = (...lines: readonly string[]) =>
  withLines(
    new Map(),
    lines.map((line) => right(parseSetLine(line))),
  );

/** What a reader would have of these halves. */
const lookAt = (halves: ReturnType<typeof simulatedHalves>, status: number) => {
  const head = encodeRecords(powerFeedState, [
    { magic: 0x44454546, abiMajor: 1, generation: 2n, writerPid: 42 },
  ]);
  const state = new Uint8Array(powerFeedState.sizeBytes);
  state.set(head);
  state.set(halves.state, powerFeedState.offset.half);
  return { ...halves, state, status, nowNanos: NOW };
};

describe('parseSetLine', () => {
  it('reads a target and its values', () => {
    const line: SetLine = right(parseSetLine('cgroup:77 power_mw=3000 over=1'));
    expect(line).toMatchObject({ kind: 'cgroup', id: '77' });
    expect([...line.values]).toEqual([
      ['power_mw', 3000],
      ['over', 1],
    ]);
  });

  it.each([
    ['disk:1 power_mw=3', 'disk is none of'],
    ['pid:x power_mw=3', 'needs a number'],
    ['pid:1', 'no value'],
    ['pid:1 watts=3', 'watts is none of'],
    ['pid:1 power_mw=-3', 'needs a number from 0'],
    ['pid:1 power_mw=', 'needs a number from 0'],
  ])('refuses %s', (line, cause) => {
    const parsed = parseSetLine(line);
    expect(E.isLeft(parsed) && parsed.left.cause).toContain(cause);
    expect(E.isLeft(parsed) && parsed.left.isUsage).toBe(true);
  });
});

describe('parseSetFile', () => {
  it('begins a step at each @, in order', () => {
    const steps = right(
      parseSetFile('# a\npid:1 power_mw=1\n@2.5\npid:1 power_mw=2\npid:2 power_mw=3\n'),
    );
    expect(steps.map(({ atSeconds, lines }) => [atSeconds, lines.length])).toEqual([
      [0, 1],
      [2.5, 2],
    ]);
    expect(E.isLeft(parseSetFile('@2\n@1\n'))).toBe(true);
  });
});

describe('simulatedHalves', () => {
  const halves = simulatedHalves(
    settings(
      'package:1 power_mw=70000 limit_mw=65000',
      'cgroup:9 power_mw=4000 budget_mw=2000 over=1',
      'cgroup:9 soft=1',
    ),
    NOW,
    1_000_000_000n,
  );

  it('are labelled simulated, and later lines add to earlier ones', () => {
    const document = feedDocument('/d', lookAt(halves, powerFeedStatus.ok), undefined);
    expect(document).toMatchObject({
      status: 'ok',
      source: 'simulated',
      generation: '2',
      writerPid: 42,
    });
    expect(document.cgroups).toMatchObject([
      {
        id: '9',
        watts: 4,
        budgetWatts: 2,
        budgetCgroupId: '9',
        flags: ['overBudget', 'workConserving'],
      },
    ]);
    expect(document.packages[1]).toMatchObject({ watts: 70, limitWatts: 65, headroomWatts: 0 });
    expect(readRecords(powerFeedPackageHalf, halves.packages)).toHaveLength(2);
    expect(readRecords(powerFeedStateHalf, halves.state)[0]?.bigint('validUntilNs')).toBe(
      NOW + 1_000_000_000n,
    );
    expect(readRecords(powerFeedCgroupHalf, halves.cgroups)).toHaveLength(1);
  });

  it('can be recorded and published again', () => {
    const document = feedDocument('/d', lookAt(halves, powerFeedStatus.ok), undefined);
    const steps = right(
      parseRecordedFile(`${JSON.stringify(document)}\n${JSON.stringify(document)}\n`),
    );
    expect(steps).toHaveLength(2);
    const again = simulatedHalves(withLines(new Map(), steps[0]?.lines ?? []), NOW, 1_000_000_000n);
    expect(feedDocument('/d', lookAt(again, powerFeedStatus.ok), undefined).cgroups).toEqual(
      document.cgroups,
    );
  });
});

describe('feedText', () => {
  it('says what a scheduler makes of it', () => {
    const halves = simulatedHalves(
      settings('cgroup:9 power_mw=4000'),
      NOW - 3_000_000_000n,
      1_000_000_000n,
    );
    expect(feedText(feedDocument('/d', lookAt(halves, powerFeedStatus.expired), []))).toContain(
      '/d: stale: a scheduler ignores it',
    );
    expect(feedText(emptyDocument('/d', 'missing'))).toContain('--policy-feed true');
    expect(feedText(emptyDocument('/d', 'foreign'))).toContain('another version');
  });
});
