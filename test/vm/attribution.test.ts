// SPDX-License-Identifier: Apache-2.0
/**
 * The agent's split of energy against the truth, in mixes in which CPU time alone errs; `npm run bench:truth` has
 * all of them. Then the same agent on a machine whose PMU is gone.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { readMixRows, type MixRow } from '../../bench/truth/rows.js';
import { igpuShifts, loadTable, shareTables, verdicts } from '../../bench/truth/table.js';
import { bootAndRun, hookMillis, patientMillis } from './harness/files.js';
import { mixesScript } from './harness/mixes.js';

const LIMIT_MILLIS = patientMillis(200);
const SECONDS_PER_MIX = 4;
const MEAN_LIMIT = 0.05;
const IGPU_LIMIT = 0.01;

let rows: readonly MixRow[];

beforeAll(async () => {
  const run = await bootAndRun(
    'smt',
    '7.3',
    mixesScript({
      shape: 'smt',
      seconds: SECONDS_PER_MIX,
      runs: [
        {
          name: 'counters',
          mixes: ['02', '08', '12'],
          igpu: { milliwatts: 7000, mixes: ['02'] },
        },
        { name: 'no-pmu', mixes: ['09', '12'], control: ['part pmu off'] },
      ],
    }),
    LIMIT_MILLIS,
  );
  rows = readMixRows(run);
  for (const name of ['counters', 'no-pmu']) {
    const own = rows.filter((row) => row.run === name);
    console.log(`${shareTables(own)}\n\n${loadTable(own)}`);
  }
}, hookMillis(LIMIT_MILLIS));

const rowsOf = (name: string): readonly MixRow[] => rows.filter((row) => row.run === name);

describe('split by counters', () => {
  it('says that it is one', () => {
    for (const row of rowsOf('counters')) expect(row.label).toMatch(/split by counters/);
  });

  it('errs at most half as much as CPU time where that errs by 6 % or more, and little in the mean', () => {
    const [verdict] = verdicts(rowsOf('counters'));
    expect(verdict?.telling).toBeGreaterThan(1);
    expect(verdict?.missed).toEqual([]);
    expect(verdict?.meanShare).toBeLessThan(MEAN_LIMIT);
  });

  it('moves no process by more than 1 % when the graphics unit is busy', () => {
    const shifts = igpuShifts(rowsOf('counters'));
    console.log(
      shifts.map(({ mix, largest }) => `${mix}: ${(largest * 100).toFixed(2)} %`).join('\n'),
    );
    expect(shifts).toHaveLength(1);
    for (const { largest } of shifts) expect(largest).toBeLessThan(IGPU_LIMIT);
  });
});

describe('split without a PMU', () => {
  it('says that it goes by CPU time', () => {
    for (const row of rowsOf('no-pmu')) expect(row.label).toMatch(/split by CPU time/);
  });

  it('still knows that a slow core costs less, and that siblings share one', () => {
    for (const row of rowsOf('no-pmu')) {
      expect(row.package.cpuTime).toBeGreaterThan(0.06);
    }
    const share = (mix: string) => rowsOf('no-pmu').find((row) => row.mix.startsWith(mix))?.package;
    expect(share('12')?.agent).toBeLessThan((share('12')?.cpuTime ?? 0) / 2);
  });
});
