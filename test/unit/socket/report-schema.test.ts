// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { reportSchema } from '../../../receiver/socket/report-schema.js';
import { agentReport, energyRow, NO_DRAM, processRow } from '../../support/agent-report.js';

describe('reportSchema', () => {
  it('passes absent and unknown energies on as they are', () => {
    const processes = [processRow(7, 'a', 1, NO_DRAM), processRow(8, 'b', 1, { dramWatts: null })];
    const report = agentReport({ processes, exitedProcesses: energyRow(0, NO_DRAM) });
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });

  it.each(['packageWatts', 'dramWatts', 'packageJoules', 'dramJoules'])(
    'refuses a row that says nothing of %s',
    (field) => {
      const process = Object.entries(processRow(7, 'a', 1)).filter(([name]) => name !== field);
      const report = { ...agentReport(), processes: [Object.fromEntries(process)] };
      expect(reportSchema.safeParse(report).error?.issues).toMatchObject([
        { path: ['processes', 0, field] },
      ]);
    },
  );
});
