// SPDX-License-Identifier: Apache-2.0
/** Simulated runs as traces of docs/trace-format.md, with the truth in records of their own. */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { UNNAMED } from '../../receiver/attribution/unnamed.js';
import { DEFAULT_SETTINGS } from '../../receiver/attribution/attribute.js';
import { WindowEncoder } from '../../receiver/trace/encode-window.js';
import { headerRecord } from '../../receiver/trace/header.js';
import { formatRecord } from '../../receiver/trace/parse-line.js';
import { settingsJson } from '../../receiver/trace/settings.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import { Bench } from './experiment.js';
import { surroundingsOf } from './product.js';
import { IDLE_MIX, type Mix } from './sim/mixes.js';
import type { SimulatedWindow } from './sim/simulator.js';
import { planOf } from './sim/to-window.js';

export interface TraceRun {
  readonly seed: number;
  readonly spread: number;
  readonly mix: Mix;
  readonly idleSeconds: number;
  readonly seconds: number;
  readonly windowMillis: number;
}

const NANOJOULES_PER_JOULE = 1e9;

/** Joules by owner; the interrupts' are the last. */
const truthRecord = ({ index, truth, load }: SimulatedWindow): string => {
  const names = [...load.jobs.map(({ name, cgroupId }) => ({ name, cgroupId: String(cgroupId) }))];
  const joules = (values: Float64Array, at: number): number =>
    (values[at] ?? 0) / NANOJOULES_PER_JOULE;
  return JSON.stringify({
    type: 'truth',
    index: String(index),
    idleJoules: truth.idleNanojoules / NANOJOULES_PER_JOULE,
    owners: [...names, { name: '(interrupts)', cgroupId: null }].map((owner, at) => ({
      ...owner,
      shapleyJoules: joules(truth.shapley, at),
      marginalJoules: joules(truth.marginal, at),
      memoryJoules: joules(truth.memory, at),
    })),
  });
};

export interface TracedWindow {
  readonly window: ActivityWindow;
  readonly simulated: SimulatedWindow;
}

/** The lines of one trace; `onWindow` sees each window as it is written. */
export function* traceLinesOf(
  run: TraceRun,
  onWindow: (traced: TracedWindow) => void = () => undefined,
): Generator<string> {
  const bench = new Bench(run, run.mix.shape);
  const { topology } = bench.simulator.machine;
  const encoder = new WindowEncoder({
    ...UNNAMED,
    cgroupPath: (id) => `/simulated/${id.toString()}`,
  });
  yield formatRecord(
    headerRecord({
      topology,
      plan: planOf(bench.simulator),
      version: '',
      hostName: `simulated-${run.seed.toString()}`,
      monotonicNanos: 0n,
      unixNanos: 0n,
      settings: settingsJson({
        idleWatts: undefined,
        settings: DEFAULT_SETTINGS,
        isCalibrating: false,
      }),
    }),
  );
  let windows = 0;
  for (const [mix, seconds] of [
    [IDLE_MIX, run.idleSeconds],
    [run.mix, run.seconds],
  ] as const)
    for (const traced of bench.run(mix, seconds, run.windowMillis)) {
      const { memory } = surroundingsOf(traced.simulated, topology.packageIds.length);
      const input = memory === undefined ? {} : { memory };
      yield formatRecord(encoder.encode(traced.window, { input }));
      yield truthRecord(traced.simulated);
      onWindow(traced);
      windows += 1;
    }
  yield JSON.stringify({ type: 'end', windows });
}

/** `DIRECTORY/mix-ID.ndjson.gz`. */
export const writeTraces = async (
  directory: string,
  mixes: readonly Mix[],
  run: Omit<TraceRun, 'mix'>,
): Promise<readonly string[]> => {
  mkdirSync(directory, { recursive: true });
  const paths: string[] = [];
  for (const mix of mixes) {
    const path = join(directory, `mix-${mix.id}.ndjson.gz`);
    const lines = function* (): Generator<string> {
      for (const line of traceLinesOf({ ...run, mix })) yield `${line}\n`;
    };
    await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path));
    paths.push(path);
  }
  return paths;
};
