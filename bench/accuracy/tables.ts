// SPDX-License-Identifier: Apache-2.0
/** The results as text of at most 80 columns. Pure. */
import type { ExperimentResult } from './experiment.js';
import type { Mix } from './sim/mixes.js';
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
