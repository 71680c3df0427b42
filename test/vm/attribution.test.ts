// SPDX-License-Identifier: Apache-2.0
/**
 * The agent's split of energy against the truth, in mixes in which CPU time alone errs. `npm run bench:truth` has
 * all of them, the graphics unit's load beside them, and the machine without a PMU: these take longer than a test may.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { readMixRows, type MixRow } from '../../bench/truth/rows.js';
import { loadTable, shareTables, verdicts } from '../../bench/truth/table.js';
import { bootAndRun, hookMillis, patientMillis } from './harness/files.js';
import { mixesScript } from './harness/mixes.js';

const LIMIT_MILLIS = patientMillis(200);
const SECONDS_PER_MIX = 4;
const MEAN_LIMIT = 0.05;

let rows: readonly MixRow[];

beforeAll(async () => {
  const run = await bootAndRun(
    'smt',
    '7.3',
    mixesScript({
      shape: 'smt',
      seconds: SECONDS_PER_MIX,
      runs: [{ name: 'counters', mixes: ['02', '08', '12'] }],
    }),
    LIMIT_MILLIS,
  );
  rows = readMixRows(run);
  console.log(`${shareTables(rows)}\n\n${loadTable(rows)}`);
}, hookMillis(LIMIT_MILLIS));

describe('split by counters', () => {
  it('says that it is one', () => {
    for (const row of rows) expect(row.label).toMatch(/split by counters/);
  });

  it('errs at most half as much as CPU time where that errs by 6 % or more, and little in the mean', () => {
    const [verdict] = verdicts(rows);
    expect(verdict?.telling).toBeGreaterThan(1);
    expect(verdict?.missed).toEqual([]);
    expect(verdict?.meanShare).toBeLessThan(MEAN_LIMIT);
  });
});
