// SPDX-License-Identifier: Apache-2.0
/**
 * What test/vm/guest/agent-mixes.mjs left, as one row per agent, mix and pass: what the agent gave to each load
 * between two windows, and the truth at those windows' ends.
 */
import { z } from 'zod';

import type { Run } from '../../test/vm/harness/files.js';
import { readReports, type Report } from '../../test/vm/harness/reports.js';
import { packageNanojoules, type Truth } from '../../test/vm/harness/truth.js';
import {
  groupByLoad,
  misattributedShare,
  risen,
  totalOf,
  worstError,
  type Joules,
} from './misattribution.js';

const NANOJOULES_PER_JOULE = 1e9;
const MICROJOULES_PER_JOULE = 1e6;
const NANOS_PER_MILLI = 1e6;
const NANOS_PER_SECOND = 1e9;

const mixRuns = z.array(
  z.object({
    run: z.string(),
    mix: z.string(),
    pass: z.number(),
    truth: z.string(),
    loads: z.array(z.string()),
  }),
);
type MixRun = z.infer<typeof mixRuns>[number];
type Column = 'packageJoules' | 'dramJoules' | 'cpuSeconds';
type TrueKind = 'package' | 'dram';

export interface Shares {
  readonly agent: number;
  readonly cpuTime: number;
  readonly truth: number;
}

export interface MixRow {
  readonly run: string;
  readonly mix: string;
  readonly pass: number;
  readonly loads: readonly string[];
  /** How the agent says it splits. */
  readonly label: string;
  /** Shares of the energy that are with the wrong load, 0 to 1: by the agent, and by CPU time in the same windows. */
  readonly package: { readonly agent: number; readonly cpuTime: number; readonly worst: number };
  readonly dram: { readonly agent: number; readonly cpuTime: number };
  /** Agent's joules of all processes over the true ones: 1 = the idle floor is where it is. */
  readonly packageRatio: number;
  /** Agent's package joules over the true ones, by load. */
  readonly ratioOf: ReadonlyMap<string, number>;
  /** Shares of the package's energy, by load and `other`: what the agent gave, what CPU time says, what was used. */
  readonly sharesOf: ReadonlyMap<string, Shares>;
  /** Floor that the agent went by. */
  readonly idleWatts: number;
  /** Joules of the graphics unit: the agent's bucket and the true ones. */
  readonly igpu: { readonly agent: number; readonly truth: number };
  /** How far the windows' ends and the truths are apart, the farther end. */
  readonly misalignedMillis: number;
}

/** Both kinds are measured on the simulated machine: an absent one would make the table meaningless. */
const known = (value: number | null, column: Column): number => {
  if (value === null) throw new Error(`the agent has no ${column} on the simulated machine`);
  return value;
};

/** What the agent had given to each load since its start, by one of its columns. */
const agentJoules = (report: Report, column: Column, loads: readonly string[]): Joules =>
  groupByLoad(
    [
      ...report.names.map((row) => ({ name: row.name, joules: known(row[column], column) })),
      { name: 'other', joules: known(report.overflowNames[column], column) },
    ],
    loads,
  );

const trueJoules = (truth: Truth, kind: TrueKind, loads: readonly string[]): Joules =>
  groupByLoad(
    truth.owners.map((owner) => ({
      name: owner.comm,
      joules:
        owner.energy.reduce(
          (sum, energy) =>
            sum + Number(kind === 'package' ? packageNanojoules(energy) : energy.dram),
          0,
        ) / NANOJOULES_PER_JOULE,
    })),
    loads,
  );

const sharesOf = (estimated: Joules, time: Joules, truth: Joules): ReadonlyMap<string, Shares> => {
  const share = (joules: Joules, name: string) => (joules.get(name) ?? 0) / totalOf(joules);
  return new Map(
    [...truth.keys()].map((name) => [
      name,
      {
        agent: share(estimated, name),
        cpuTime: share(time, name),
        truth: share(truth, name),
      },
    ]),
  );
};

/** Of all packages, between two reports. */
const idleWatts = (first: Report, last: Report): number => {
  const joules = (report: Report): number =>
    report.domains
      .filter(({ kind }) => kind === 'package')
      .reduce((sum, domain) => sum + Number(domain.idleMicrojoules ?? 0n), 0) /
    MICROJOULES_PER_JOULE;
  const seconds = Number(last.window.endNanos - first.window.endNanos) / NANOS_PER_SECOND;
  return (joules(last) - joules(first)) / seconds;
};

const igpuJoules = (report: Report): number =>
  report.domains.reduce((sum, domain) => sum + Number(domain.igpuMicrojoules ?? 0n), 0) /
  MICROJOULES_PER_JOULE;

const trueIgpuJoules = (truth: Truth): number =>
  truth.buckets
    .filter(({ name }) => name === 'igpu')
    .reduce((sum, bucket) => sum + Number(bucket.energyNanojoules), 0) / NANOJOULES_PER_JOULE;

const distanceMillis = (report: Report, truth: Truth): number =>
  Math.abs(Number(report.window.endNanos - truth.monotonicNanos)) / NANOS_PER_MILLI;

const reportNearest = (reports: readonly Report[], truth: Truth): Report => {
  const [nearest] = reports.toSorted((a, b) => distanceMillis(a, truth) - distanceMillis(b, truth));
  if (nearest === undefined) throw new Error('the agent has left no report');
  return nearest;
};

const ratios = (estimated: Joules, truth: Joules, loads: readonly string[]) =>
  new Map(loads.map((name) => [name, (estimated.get(name) ?? 0) / (truth.get(name) ?? 0)]));

const rowOf = (run: Run, reports: readonly Report[], mix: MixRun): MixRow => {
  const [before, after] = [run.truth(`${mix.truth}-0`), run.truth(`${mix.truth}-1`)];
  const [first, last] = [reportNearest(reports, before), reportNearest(reports, after)];
  const agent = (column: Column): Joules =>
    risen(agentJoules(first, column, mix.loads), agentJoules(last, column, mix.loads));
  const truth = (kind: TrueKind): Joules =>
    risen(trueJoules(before, kind, mix.loads), trueJoules(after, kind, mix.loads));
  const [estimated, time, actual] = [agent('packageJoules'), agent('cpuSeconds'), truth('package')];
  return {
    run: mix.run,
    mix: mix.mix,
    pass: mix.pass,
    loads: mix.loads,
    label: last.source.label,
    package: {
      agent: misattributedShare(estimated, actual),
      cpuTime: misattributedShare(time, actual),
      worst: worstError(estimated, actual, mix.loads),
    },
    dram: {
      agent: misattributedShare(agent('dramJoules'), truth('dram')),
      cpuTime: misattributedShare(time, truth('dram')),
    },
    packageRatio: totalOf(estimated) / totalOf(actual),
    ratioOf: ratios(estimated, actual, mix.loads),
    sharesOf: sharesOf(estimated, time, actual),
    idleWatts: idleWatts(first, last),
    igpu: {
      agent: igpuJoules(last) - igpuJoules(first),
      truth: trueIgpuJoules(after) - trueIgpuJoules(before),
    },
    misalignedMillis: Math.max(distanceMillis(first, before), distanceMillis(last, after)),
  };
};

/** In the order in which they ran. */
export const readMixRows = (run: Run): readonly MixRow[] => {
  const reports = new Map<string, readonly Report[]>();
  return mixRuns.parse(JSON.parse(run.text('mixes.json'))).map((mix) => {
    const known = reports.get(mix.run) ?? readReports(run, mix.run);
    reports.set(mix.run, known);
    return rowOf(run, known, mix);
  });
};
