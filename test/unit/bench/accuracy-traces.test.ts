// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Product } from '../../../bench/accuracy/product.js';
import { Bench } from '../../../bench/accuracy/experiment.js';
import { MIXES } from '../../../bench/accuracy/sim/mixes.js';
import { planOf } from '../../../bench/accuracy/sim/to-window.js';
import { traceLinesOf } from '../../../bench/accuracy/traces.js';
import { replayFile } from '../../../receiver/trace/replay-file.js';
import { replayReport } from '../../../receiver/trace/replay-report.js';
import { pipelineOptionsOf } from '../../../receiver/trace/settings.js';
import { rightOf } from '../../support/either.js';

const run = { seed: 5, spread: 0.25, idleSeconds: 6, seconds: 2, windowMillis: 500 };

/** What the bench makes of the windows, and what replay makes of the trace, by cgroup. */
const bothOf = async (id: string) => {
  const mix = MIXES.find((one) => one.id === id);
  if (mix === undefined) throw new Error(`no mix ${id}`);
  const { simulator } = new Bench(run, mix.shape);
  const product = new Product(planOf(simulator), simulator.machine.topology);
  const own = new Map<string, number>();
  const lines = [
    ...traceLinesOf({ ...run, mix }, ({ window, simulated }) => {
      const split = product.advance(window, simulated).get('wattfeed-priors');
      for (const { index, cgroupId } of simulated.load.jobs) {
        const id = String(cgroupId);
        const energy = (split?.cpu[index] ?? 0) + (split?.memory[index] ?? 0);
        own.set(id, (own.get(id) ?? 0) + energy);
      }
    }),
  ];
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-simulated-'));
  const path = join(directory, 'trace.ndjson');
  writeFileSync(path, lines.join('\n'));
  const { replay, ...lost } = rightOf(
    await replayFile({
      path,
      stdin: new PassThrough(),
      isLenient: false,
      setup: pipelineOptionsOf({}),
      isOverridden: false,
      usesRecordedCoefficients: true,
      onProgress: () => undefined,
    }),
  );
  rmSync(directory, { recursive: true });
  const report = replayReport(replay, { path, ...lost });
  const replayed = new Map(
    report.cgroups.map(({ id, microjoules }) => [
      id,
      Object.values(microjoules).reduce((sum, energy) => sum + Number(energy), 0),
    ]),
  );
  return { own, replayed, report };
};

describe('traceLinesOf', () => {
  it.each(['08', '17', '21', '22', '23'])(
    'writes mix %s so that replay gives what the pipeline gave, to the microjoule',
    async (id) => {
      const { own, replayed, report } = await bothOf(id);
      expect(report.conservation.closes).toBe(true);
      expect(report.trace.unknownRecords).toBe(report.trace.windows);
      expect([...replayed].sort()).toEqual([...own].filter(([, energy]) => energy > 0).sort());
      expect(replayed.size).toBeGreaterThan(2);
    },
  );
});
