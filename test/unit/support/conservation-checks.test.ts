// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { agentReport, cgroupRow, NO_DRAM, processRow } from '../../support/agent-report.js';
import { decreases } from '../../support/conservation-checks.js';

const windowOf = (over: Parameters<typeof processRow>[3]) =>
  agentReport({ processes: [processRow(7, 'a', 1, over)], cgroups: [cgroupRow('/', 1)] });

describe('decreases', () => {
  it('finds nothing where a kind is absent throughout', () => {
    expect(decreases([windowOf(NO_DRAM), windowOf(NO_DRAM)])).toEqual([]);
  });

  it('finds a total that falls, and one that is lost', () => {
    expect(decreases([windowOf({ dramJoules: 5 }), windowOf({ dramJoules: 4 })])).toHaveLength(1);
    expect(decreases([windowOf({ dramJoules: 5 }), windowOf(NO_DRAM)])).toEqual([
      'window 99: process 7 since 1700000000007 dram fell from 5 to null',
    ]);
  });
});
