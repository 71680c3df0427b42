// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { counterNotes } from '../../../receiver/agent/counter-notes.js';
import { counterFindings } from '../../../receiver/check/counter-findings.js';
import { readCheckEnvironment } from '../../../receiver/check/environment.js';
import type { ProbedPmu } from '../../../receiver/counters/probe.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

const environment = (watchdog: string) =>
  readCheckEnvironment(rootsWith({ 'proc/sys/kernel/nmi_watchdog': watchdog }));

const pmu = (fields: Partial<ProbedPmu>): ProbedPmu => ({
  pmu: 'cpu',
  cpuCount: 4,
  events: [{ kind: 'cycles', label: 'cpu/cpu-cycles/', code: '' }],
  missing: [],
  ...fields,
});

describe('counterFindings', () => {
  it('says nothing where everything opens', () => {
    expect(counterFindings([pmu({})], environment('0'))).toEqual([]);
  });

  it('says per PMU what does not open or has no event, and the remedy', () => {
    const found = counterFindings(
      [
        pmu({ events: [{ kind: 'cycles', label: 'cpu/cpu-cycles/', code: 'EACCES' }] }),
        pmu({ pmu: 'cpu_atom', missing: ['vector'] }),
      ],
      environment('0'),
    );
    expect(found.map(({ id, level }) => `${level} ${id}`)).toEqual([
      'limited counter-cycles-failed',
      'note counter-vector-unknown',
    ]);
    expect(found[0]?.remedy).toContain('CAP_PERFMON');
    expect(found[1]?.what).toContain('cpu_atom');
  });

  it('tells of the NMI watchdog where something is counted', () => {
    const ids = (counters: readonly ProbedPmu[]) =>
      counterFindings(counters, environment('1')).map(({ id }) => id);
    expect(ids([pmu({})])).toEqual(['nmi-watchdog']);
    expect(ids([])).toEqual([]);
  });
});

describe('counterNotes', () => {
  it('is one line per kind and error, with the CPUs', () => {
    const fault = (cpu: number, kind: 'cycles' | 'vector', code: string) => ({ cpu, kind, code });
    const notes = counterNotes([
      fault(0, 'vector', 'EINVAL'),
      fault(1, 'vector', 'EINVAL'),
      fault(2, 'cycles', 'EBUSY'),
    ]);
    expect(notes.map(({ what, cause }) => `${what}: ${cause}`)).toEqual([
      'count vector on cpu 0-1: EINVAL',
      'count cycles on cpu 2: EBUSY',
    ]);
    expect(counterNotes([])).toEqual([]);
  });
});
