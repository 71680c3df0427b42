// SPDX-License-Identifier: Apache-2.0
/** The options of `wattfeed top`: flags, and their values checked. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { GROUPINGS, SORT_KEYS, type Grouping, type SortKey } from './row.js';
import { filterOf } from './rows.js';
import { INTERVAL_SECONDS, type ViewState } from './view-state.js';

export interface TopOptions {
  readonly once: boolean;
  readonly json: boolean;
  readonly intervalSeconds: number | undefined;
  readonly grouping: Grouping;
  readonly sort: SortKey;
  readonly filter: string;
  readonly isTree: boolean;
  readonly threadsOf: number | undefined;
  readonly maxRows: number | undefined;
}

/** As commander hands them over. */
export interface RawTopOptions {
  readonly once?: true;
  readonly json?: true;
  readonly interval?: number;
  readonly by?: Grouping;
  readonly sort?: SortKey;
  readonly filter?: string;
  readonly tree?: true;
  readonly threads?: number;
  readonly rows?: number;
}

const intervalOf = (text: string): number => {
  const seconds = Number(text);
  const { least, most } = INTERVAL_SECONDS;
  if (text.trim() === '' || !(seconds >= least && seconds <= most)) {
    throw new InvalidArgumentError(`${least} to ${most} seconds`);
  }
  return seconds;
};

const wholeNumber =
  (least: number, what: string) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < least) throw new InvalidArgumentError(what);
    return Number(text);
  };

const filterText = (text: string): string => {
  if (filterOf(text) === undefined) throw new InvalidArgumentError('not a regular expression');
  return text;
};

export const addTopOptions = (command: Command): Command =>
  command
    .option('--once', 'print one window and end')
    .option('--json', 'print JSON, one document per line and window')
    .addOption(
      new Option('-I, --interval <seconds>', '0.2 to 60; default: each window').argParser(
        intervalOf,
      ),
    )
    .addOption(new Option('--by <what>', 'rows: sums by').choices(GROUPINGS))
    .addOption(new Option('--sort <key>', 'order of the rows (default: watts)').choices(SORT_KEYS))
    .addOption(
      new Option(
        '--filter <regex|pid>',
        'only rows whose name, cgroup or user matches, or one pid',
      ).argParser(filterText),
    )
    .option('--tree', 'processes or cgroups as a tree with sums')
    .addOption(
      new Option('--threads <pid>', 'the threads of one process')
        .argParser(wholeNumber(1, 'a pid'))
        .conflicts(['by', 'tree']),
    )
    .addOption(
      new Option('--rows <n>', 'at most so many rows').argParser(
        wholeNumber(1, 'a number of rows'),
      ),
    );

/** Left where two options contradict each other. */
export const topOptionsOf = (raw: RawTopOptions): TopOptions => ({
  once: raw.once === true,
  json: raw.json === true,
  intervalSeconds: raw.interval,
  grouping: raw.by ?? 'process',
  sort: raw.sort ?? 'watts',
  filter: raw.filter ?? '',
  isTree: raw.tree === true,
  threadsOf: raw.threads,
  maxRows: raw.rows,
});

export const firstViewState = (options: TopOptions): ViewState => ({
  grouping: options.grouping,
  isTree: options.isTree,
  sort: options.sort,
  isReversed: false,
  filter: options.filter,
  threads:
    options.threadsOf === undefined
      ? undefined
      : { pid: options.threadsOf, name: '', outerFilter: '' },
  selectedKey: undefined,
  mode: 'table',
  draft: '',
  intervalSeconds: options.intervalSeconds,
  notice: '',
});
