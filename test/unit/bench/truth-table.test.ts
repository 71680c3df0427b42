// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import type { MixRow } from '../../../bench/truth/rows.js';
import { igpuShifts, loadTable, shareTables, verdicts } from '../../../bench/truth/table.js';

const row = (
  run: string,
  mix: string,
  agent: number,
  cpuTime: number,
  more: Partial<MixRow> = {},
): MixRow => ({
  run,
  mix,
  pass: 0,
  isGraphicsBusy: false,
  loads: ['a', 'b'],
  label: 'measured (powercap), split by counters',
  package: { agent, cpuTime, worst: agent * 2 },
  dram: { agent: agent / 2, cpuTime },
  packageRatio: 1,
  ratioOf: new Map([
    ['a', 1],
    ['b', 1.1],
  ]),
  sharesOf: new Map([
    ['a', { agent: 0.6, cpuTime: 0.5, truth: 0.7 }],
    ['other', { agent: 0.4, cpuTime: 0.5, truth: 0.3 }],
  ]),
  idleWatts: 13,
  igpu: { agent: 0, truth: 0 },
  misalignedMillis: 3,
  ...more,
});

describe('shareTables', () => {
  it('has one column per agent beside CPU time, a mean, and fits 80 columns', () => {
    const text = shareTables([
      row('counters', '02 int | AVX-512', 0.02, 0.095),
      row('counters', '20 poll + int | AVX-512 + stream', 0.04, 0.063),
      row('time', '02 int | AVX-512', 0.09, 0.094),
      row('time', '20 poll + int | AVX-512 + stream', 0.06, 0.063),
    ]);
    expect(text).toMatch(/^02 int \| AVX-512 +9\.5 +2\.0 +9\.0 +4\.0 +18\.0$/m);
    expect(text).toMatch(/^mean +7\.9 +3\.0 +7\.5/m);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('verdicts', () => {
  it('counts only mixes that CPU time errs in, and names those where the agent is not twice as good', () => {
    const rows = [
      row('counters', '01 equal', 0.03, 0.004),
      row('counters', '02 int', 0.02, 0.095),
      row('counters', '09 spin', 0.1, 0.199),
    ];
    expect(verdicts(rows)).toEqual([
      { run: 'counters', meanShare: expect.closeTo(0.05), telling: 2, missed: ['09 spin'] },
    ]);
  });
});

describe('loadTable', () => {
  it('says per load what it was given and what it used', () => {
    const text = loadTable([row('counters', '02 int | AVX-512', 0.02, 0.095)]);
    expect(text).toMatch(/^ {2}a +50\.0 +60\.0 +70\.0 +-10\.0$/m);
  });
});

describe('igpuShifts', () => {
  const passes = (ratios: readonly (readonly [a: number, b: number])[]) =>
    igpuShifts(
      ratios.map(([a, b], pass) =>
        row('time', '02 int', 0.02, 0.095, {
          pass,
          isGraphicsBusy: pass >= 2 && pass % 2 === 0,
          ratioOf: new Map([
            ['a', a],
            ['b', b],
          ]),
        }),
      ),
    );

  it('is the largest change of a load from the mean of the passes around it', () => {
    const [shift] = passes([
      [7, 7],
      [1, 1.1],
      [1.02, 1.1],
      [1.02, 1.1],
    ]);
    expect(shift?.largest).toBeCloseTo(1.02 / 1.01 - 1);
  });

  it('is the median of its passes, and says what moves without the graphics unit', () => {
    const [shift] = passes([
      [1, 1],
      [1, 1],
      [1.01, 1],
      [1, 1],
      [1.5, 1],
      [1, 1],
      [1.02, 1],
      [1.04, 1],
    ]);
    expect(shift?.largest).toBeCloseTo(0.01);
    // of the middle two passes at rest, both 1: one against (1 + 1) / 2, one against (1 + 1.04) / 2
    expect(shift?.against).toBeCloseTo(Math.abs((0 + (1 / 1.02 - 1)) / 2));
  });

  it('is nothing for a mix without a graphics unit', () => {
    expect(igpuShifts([row('time', '02 int', 0.02, 0.095)])).toEqual([]);
  });
});
