// SPDX-License-Identifier: Apache-2.0
/** The results as text of at most 80 columns. Pure. */
import type { CutResult } from './cuts.js';
import type { ExperimentResult } from './experiment.js';
import { EQUAL_MIX, type Mix } from './sim/mixes.js';
import { methodsOf, summarize, type Book } from './summary.js';

/** Six columns each; two lines. */
const HEADINGS: Readonly<Record<string, readonly [string, string]>> = {
  'kepler-new-formula': ['CPU', 'time'],
  'kepler-0.9-formula': ['Kepl.', '0.9'],
  'scaphandre-formula': ['Scaph', 'andre'],
  'seed-formula': ['seed', 'W(i)'],
  'deep-mon-formula': ['DEEP', '-mon'],
  'energat-formula': ['Energ', 'At'],
  'wattfeed-time': ['wattf', 'time'],
  'wattfeed-priors': ['wattf', 'prior'],
  'wattfeed-calibrated': ['wattf', 'calib'],
  'rss-formula': ['', 'RSS'],
  'cpu-time': ['CPU', 'time'],
  'seed-loads-stores-formula': ['loads', 'store'],
  'misses-formula': ['LLC', 'miss'],
  'misses-by-cpu-node': ['miss', 'CPU n'],
  'misses-by-memory-node': ['miss', 'mem n'],
};

/** What the tables by mix show; the rest is in the table of means. */
export const CPU_METHODS = [
  'kepler-new-formula',
  'kepler-0.9-formula',
  'scaphandre-formula',
  'seed-formula',
  'deep-mon-formula',
  'energat-formula',
  'wattfeed-time',
  'wattfeed-priors',
  'wattfeed-calibrated',
] as const;
export const MEMORY_METHODS = [
  'rss-formula',
  'cpu-time',
  'seed-loads-stores-formula',
  'misses-formula',
  'misses-by-cpu-node',
  'misses-by-memory-node',
  'wattfeed-time',
  'wattfeed-priors',
] as const;

const TITLE_WIDTH = 26;
const COLUMN_WIDTH = 6;

const headingOf = (method: string, line: 0 | 1): string =>
  (HEADINGS[method]?.[line] ?? (line === 0 ? '' : method.slice(0, COLUMN_WIDTH - 1))).padStart(
    COLUMN_WIDTH,
  );

const percent = (ratio: number): string => (ratio * 100).toFixed(1).padStart(COLUMN_WIDTH);

const line = (title: string, values: readonly string[]): string =>
  `${title.slice(0, TITLE_WIDTH - 1).padEnd(TITLE_WIDTH)}${values.join('')}`;

export interface TableRequest {
  readonly title: string;
  readonly results: readonly ExperimentResult[];
  readonly mixes: readonly Mix[];
  /** Means are given over these as well: the study's 20. */
  readonly studyMixes: readonly Mix[];
  readonly book: Book;
  /** Not given: all. */
  readonly methods?: readonly string[];
}

/** One row per mix, one column per method, then means and their spread over machines. */
export const scoreTable = (request: TableRequest): string => {
  const { title, results, mixes, studyMixes, book } = request;
  const methods = (request.methods ?? methodsOf(results, book)).filter((method) =>
    methodsOf(results, book).includes(method),
  );
  const ids = mixes.map(({ id }) => id);
  const all = methods.map((method) => summarize(results, ids, method, book));
  const study = methods.map((method) =>
    summarize(
      results,
      studyMixes.map(({ id }) => id),
      method,
      book,
    ),
  );
  return [
    title,
    line(
      '',
      methods.map((method) => headingOf(method, 0)),
    ),
    line(
      'mix',
      methods.map((method) => headingOf(method, 1)),
    ),
    ...mixes.map(({ id, title: name }) =>
      line(
        `${id} ${name}`,
        all.map(({ byMix }) => percent(byMix[id] ?? 0)),
      ),
    ),
    line(
      `mean of ${studyMixes.length.toString()}`,
      study.map(({ mean }) => percent(mean)),
    ),
    line(
      '  least of a machine',
      study.map(({ least }) => percent(least)),
    ),
    line(
      '  most of a machine',
      study.map(({ most }) => percent(most)),
    ),
    line(
      '  standard deviation',
      study.map(({ deviation }) => percent(deviation)),
    ),
    line(
      `mean of ${mixes.length.toString()}`,
      all.map(({ mean }) => percent(mean)),
    ),
  ].join('\n');
};

const WHAT: Readonly<Record<string, string>> = {
  'kepler-new-formula': 'CPU time (Kepler from 0.10 on)',
  'wattfeed-wrong-priors': 'wattfeed, wrong priors (a/2, 2b, 2P)',
  'wattfeed-wrong-calibrated': 'wattfeed, wrong priors, calibrated',
  'wattfeed-steady': 'wattfeed, calibrated on one mix alone',
};

/** All methods: means by both truths and on machines that are further off. */
export const meansTable = (
  usual: readonly ExperimentResult[],
  wide: readonly ExperimentResult[],
  mixes: readonly Mix[],
): string => {
  const ids = mixes.map(({ id }) => id);
  const cell = (ratio: number): string => (ratio * 100).toFixed(1).padStart(10);
  const row = (method: string): string => {
    const worst = summarize(usual, ids, method, 'shapley').byMix;
    return (
      (WHAT[method] ?? method).padEnd(38) +
      cell(summarize(usual, ids, method, 'shapley').mean) +
      cell(Math.max(...Object.values(worst))) +
      cell(summarize(usual, ids, method, 'marginal').mean) +
      cell(summarize(wide, ids, method, 'shapley').mean)
    );
  };
  return [
    `Means over ${mixes.length.toString()} mixes`.padEnd(38) +
      ['Shapley', 'worst mix', 'marginal', '+-50 %'].map((word) => word.padStart(10)).join(''),
    ...methodsOf(usual, 'shapley').map(row),
  ].join('\n');
};

/** What two bounds of the product are about and no table shows; undefined figures are left out. */
export const boundsText = (
  results: readonly ExperimentResult[],
  studyMixes: readonly Mix[],
): string => {
  const ids = studyMixes.map(({ id }) => id);
  const byMix = (method: string): Readonly<Record<string, number>> =>
    summarize(results, ids, method, 'shapley').byMix;
  const [steady, priors] = [byMix('wattfeed-steady'), byMix('wattfeed-priors')];
  const worse = Math.max(...ids.map((id) => (steady[id] ?? 0) - (priors[id] ?? 0)));
  const ofCopies = results.map(
    ({ mixes }) => mixes[EQUAL_MIX.id]?.shapley['wattfeed-calibrated']?.worst ?? Number.NaN,
  );
  return [
    '',
    `Calibrated on one mix alone: at most ${(worse * 100).toFixed(2)} points worse than priors on any mix`,
    `Four copies of one program: each within ${(Math.max(...ofCopies) * 100).toFixed(2)} % of its truth on every machine`,
  ].join('\n');
};

export const cutsText = ({ points }: CutResult): string =>
  [
    '\nOne run cut into windows of 50 ms to 10 s moves a share by at most',
    ...Object.entries(points).map(([method, most]) => `  ${most.toFixed(2)} points  ${method}`),
  ].join('\n');
