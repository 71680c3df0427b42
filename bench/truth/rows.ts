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
/** As agent-mixes.mjs takes them: at the moment in which a window was to end, and soon after. */
const EDGE_TRUTHS = ['', 'a', 'b', 'c'];

const mixRuns = z.array(
  z.object({
    run: z.string(),
    mix: z.string(),
    pass: z.number(),
    igpuMilliwatts: z.number(),
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
  readonly isGraphicsBusy: boolean;
  readonly loads: readonly string[];
  /** How the agent says it splits. */
  readonly label: string;
  /** Shares of the energy that are with the wrong load, 0 to 1: by the agent, and by CPU time in the same windows. */
  readonly package: { readonly agent: number; readonly cpuTime: number; readonly worst: number };
  readonly dram: { readonly agent: number; readonly cpuTime: number };
  /** Agent's joules of all processes over the true ones: 1 = the idle floor is where it is. */
  readonly packageRatio: number;
  /** Agent's package watts over the true ones, by load: the ends of its windows and of the truths are not the same. */
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

/** A window's end: its report, and the truths taken around it. */
interface Edge {
  readonly report: Report;
  readonly lower: Truth;
  readonly upper: Truth;
  /** Where the window's end is between the two, 0 to 1. */
  readonly part: number;
  /** The moment that the truth is known of: the window's end, or the truth nearest to it. */
  readonly atNanos: number;
}

const igpuJoules = (report: Report): number =>
  report.domains.reduce((sum, domain) => sum + Number(domain.igpuMicrojoules ?? 0n), 0) /
  MICROJOULES_PER_JOULE;

const trueIgpuJoules = (truth: Truth): number =>
  truth.buckets
    .filter(({ name }) => name === 'igpu')
    .reduce((sum, bucket) => sum + Number(bucket.energyNanojoules), 0) / NANOJOULES_PER_JOULE;

const distanceNanos = (report: Report, truth: Truth): number =>
  Math.abs(Number(report.window.endNanos - truth.monotonicNanos));

const edgeOf = (run: Run, reports: readonly Report[], name: string): Edge => {
  const truths = EDGE_TRUTHS.map((suffix) => run.truth(`${name}${suffix}`));
  const [first] = truths;
  const last = truths.at(-1);
  if (first === undefined || last === undefined) throw new Error(`no truth ${name}`);
  // the window that was to end at the first of them, and ended a little later
  const [report] = reports.toSorted((x, y) => distanceNanos(x, first) - distanceNanos(y, first));
  if (report === undefined) throw new Error('the agent has left no report');
  const { endNanos } = report.window;
  const lower = truths.findLast(({ monotonicNanos }) => monotonicNanos <= endNanos) ?? first;
  const upper = truths.find(({ monotonicNanos }) => monotonicNanos >= endNanos) ?? last;
  const span = Number(upper.monotonicNanos - lower.monotonicNanos);
  const part = span > 0 ? Number(endNanos - lower.monotonicNanos) / span : 0;
  return { report, lower, upper, part, atNanos: Number(lower.monotonicNanos) + part * span };
};

/** Power is steady in the few hundredths of a second between two truths. */
const between = ({ lower, upper, part }: Edge, of: (truth: Truth) => Joules): Joules => {
  const [before, after] = [of(lower), of(upper)];
  return new Map(
    [...after].map(([name, joules]) => {
      const from = before.get(name) ?? 0;
      return [name, from + (joules - from) * part];
    }),
  );
};

const misalignedMillis = ({ report, atNanos }: Edge): number =>
  Math.abs(Number(report.window.endNanos) - atNanos) / NANOS_PER_MILLI;

const ratios = (estimated: Joules, truth: Joules, loads: readonly string[], spanRatio: number) =>
  new Map(
    loads.map((name) => [name, ((estimated.get(name) ?? 0) / (truth.get(name) ?? 0)) * spanRatio]),
  );

const rowOf = (run: Run, reports: readonly Report[], mix: MixRun): MixRow => {
  const [before, after] = [
    edgeOf(run, reports, `${mix.truth}-0`),
    edgeOf(run, reports, `${mix.truth}-1`),
  ];
  const [first, last] = [before.report, after.report];
  const agent = (column: Column): Joules =>
    risen(agentJoules(first, column, mix.loads), agentJoules(last, column, mix.loads));
  const trueRise = (of: (truth: Truth) => Joules): Joules =>
    risen(between(before, of), between(after, of));
  const truth = (kind: TrueKind): Joules => trueRise((one) => trueJoules(one, kind, mix.loads));
  const igpuOf = (one: Truth): Joules => new Map([['igpu', trueIgpuJoules(one)]]);
  const spanRatio =
    (after.atNanos - before.atNanos) / Number(last.window.endNanos - first.window.endNanos);
  const [estimated, time, actual] = [agent('packageJoules'), agent('cpuSeconds'), truth('package')];
  return {
    run: mix.run,
    mix: mix.mix,
    pass: mix.pass,
    isGraphicsBusy: mix.igpuMilliwatts > 0,
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
    packageRatio: (totalOf(estimated) / totalOf(actual)) * spanRatio,
    ratioOf: ratios(estimated, actual, mix.loads, spanRatio),
    sharesOf: sharesOf(estimated, time, actual),
    idleWatts: idleWatts(first, last),
    igpu: {
      agent: igpuJoules(last) - igpuJoules(first),
      truth: totalOf(trueRise(igpuOf)),
    },
    misalignedMillis: Math.max(misalignedMillis(before), misalignedMillis(after)),
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
