// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../receiver/agent/logger.js';
import { READINGS_FILE, ReadingsKeeper } from '../../../receiver/agent/readings-keeper.js';
import { parseReadings, readingsText } from '../../../receiver/agent/readings-state.js';
import { ResumedCounters } from '../../../receiver/agent/resumed-counters.js';
import { INITIAL_COUNTER, type CounterState } from '../../../receiver/energy/counter-state.js';
import { microjoules, nanos, type Microjoules, type Nanos } from '../../../receiver/model/units.js';
import type { DomainStep } from '../../../receiver/model/window.js';
import { newLedger } from '../../support/ledger.js';
import { manualClock } from '../../support/manual-clock.js';
import { packageDomain } from '../../support/windows.js';

const BOOT = 'b8c1c2a0-0000-4000-8000-000000000000';
const counterAt = (raw: bigint, atNanos: bigint, remainder = 0n): CounterState => ({
  ...INITIAL_COUNTER,
  baseline: { raw, atNanos: nanos(atNanos), boottimeOffsetNanos: nanos(0n) },
  judgedFromNanos: nanos(atNanos),
  remainder,
});

describe('readingsText and parseReadings', () => {
  it('give back what was kept, in the same boot', () => {
    const natural = fc.bigInt({ min: 0n, max: 2n ** 63n });
    fc.assert(
      fc.property(natural, natural, natural, (raw, atNanos, remainder) => {
        const counters = new Map([['intel-rapl:0', counterAt(raw, atNanos, remainder)]]);
        expect(parseReadings(readingsText(BOOT, counters), BOOT, atNanos)).toEqual(
          E.right(counters),
        );
      }),
    );
  });

  it('know nothing after a reboot, or of a reading from the future', () => {
    const text = readingsText(BOOT, new Map([['a', counterAt(1n, 50n)]]));
    expect(parseReadings(text, 'another', 100n)).toEqual(E.right(new Map()));
    expect(parseReadings(text, BOOT, 49n)).toEqual(E.right(new Map()));
  });

  it('call any other text wrong, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(E.isLeft(parseReadings(text, BOOT, 1n))).toBe(true);
      }),
    );
  });
});

describe('ResumedCounters', () => {
  const settle = (step: DomainStep) => {
    const missed: [Microjoules, Nanos][] = [];
    const gaps: Nanos[] = [];
    const resumed = new ResumedCounters();
    resumed.expect(new Map([['package-0', counterAt(5n, 10n)]]));
    const domain = packageDomain(0, { id: 'package-0' });
    const books = {
      bookMissed: (_: unknown, energy: Microjoules, span: Nanos) => missed.push([energy, span]),
      bookGap: (_: unknown, span: Nanos) => gaps.push(span),
    };
    const once = () => resumed.settle([{ domain, step }], nanos(100n), books)[0]?.step._tag;
    return { tags: [once(), once()], missed, gaps };
  };
  const advanced: DomainStep = {
    _tag: 'Advanced',
    deltaMicrojoules: microjoules(7n),
    spanNanos: nanos(90n),
    wrapped: false,
  };

  it('takes the first advance for what was missed, and it alone', () => {
    expect(settle(advanced)).toEqual({
      tags: ['First', 'Advanced'],
      missed: [[7n, 90n]],
      gaps: [],
    });
  });

  it('counts a gap where nothing can be said of the time between', () => {
    const rejected: DomainStep = { _tag: 'Rejected', reason: 'reset', detail: '' };
    expect(settle(rejected)).toMatchObject({ missed: [], gaps: [90n] });
    expect(settle({ _tag: 'First' })).toMatchObject({ missed: [], gaps: [90n] });
  });

  it('waits while the counter cannot be read', () => {
    const failed: DomainStep = { _tag: 'Failed', reason: 'gone', detail: '' };
    expect(settle(failed)).toEqual({ tags: ['Failed', 'Failed'], missed: [], gaps: [] });
  });

  it('leaves the ledger whole', () => {
    const ledger = newLedger();
    ledger.bookMissed(packageDomain(), microjoules(9n), nanos(4n));
    ledger.bookGap(packageDomain(), nanos(5n));
    expect(ledger.verify()).toEqual([]);
    expect(ledger.domains()[0]).toMatchObject({
      acceptedMicrojoules: 9n,
      coverage: { accounted: 0n, agent_down: 4n, gap: 5n },
    });
    expect(ledger.domains()[0]?.unattributed.get('agent_down')).toBe(9n);
  });
});

describe('ReadingsKeeper', () => {
  let base = '';
  const said: string[] = [];
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'wattfeed-readings-'));
    said.length = 0;
  });
  afterEach(() => {
    rmSync(base, { recursive: true });
  });
  const keeperOf = (directory: string, counters: Map<string, CounterState>) =>
    new ReadingsKeeper({
      directory,
      bootId: BOOT,
      counters: () => new Map(counters),
      clock: manualClock(),
      logger: createLogger('warn', (line) => said.push(line)),
    });

  it('keeps the readings of the export that has arrived, not later ones', () => {
    const counters = new Map([['a', counterAt(1n, 1n)]]);
    const keeper = keeperOf(join(base, 'state'), counters);
    keeper.begin();
    counters.set('a', counterAt(2n, 2n));
    keeper.commit();
    expect(keeper.load()).toEqual(new Map([['a', counterAt(1n, 1n)]]));
    // A second batch of the same export.
    keeper.commit();
    expect(keeper.load().get('a')?.baseline?.raw).toBe(1n);
    keeper.begin();
    expect(keeper.load().get('a')?.baseline?.raw).toBe(1n);
    keeper.commit();
    expect(keeper.load().get('a')?.baseline?.raw).toBe(2n);
    expect(said).toEqual([]);
  });

  it('waits for no writer where a pipe lies in the place of its file', () => {
    mkdirSync(join(base, 'state'));
    execFileSync('mkfifo', [join(base, 'state', READINGS_FILE)]);
    expect(keeperOf(join(base, 'state'), new Map()).load()).toEqual(new Map());
    expect(said).toEqual([expect.stringContaining('a pipe, not a regular file')]);
  });

  it('says a broken file or an unwritable place once, and goes on', () => {
    mkdirSync(join(base, 'state'));
    writeFileSync(join(base, 'state', READINGS_FILE), '{');
    const keeper = keeperOf(join(base, 'state'), new Map());
    expect(keeper.load()).toEqual(new Map());
    expect(keeper.load()).toEqual(new Map());
    expect(said).toHaveLength(1);
    keeper.keep();
    expect(readFileSync(join(base, 'state', READINGS_FILE), 'utf8')).toContain(BOOT);
    writeFileSync(join(base, 'file'), '');
    const nowhere = keeperOf(join(base, 'file', 'state'), new Map());
    nowhere.keep();
    nowhere.keep();
    expect(said).toHaveLength(2);
  });
});
