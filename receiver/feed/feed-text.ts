// SPDX-License-Identifier: Apache-2.0
/** The feed's document as text: one head line, then a table per map. Pure. */
import type { FeedCgroupRow, FeedDocument, FeedTaskRow } from './feed-view.js';

const SHOWN_ROWS = 20;

const number = (value: number | null, digits = 2): string =>
  value === null ? '-' : value.toFixed(digits);

const table = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
};

const STATUS_TEXT: Readonly<Record<FeedDocument['status'], string>> = {
  ok: 'live',
  missing: 'nobody has published here; start wattfeed run with --policy-feed true',
  foreign: 'the pins are of another version; a scheduler of this version ignores them',
  expired: 'stale: a scheduler ignores it',
  torn: 'published faster than it can be read',
};

const headLines = (document: FeedDocument): readonly string[] => {
  const { status, directory, generation, validForMillis, publishedAgoMillis } = document;
  const state = document.isWithdrawn ? 'withdrawn: a scheduler ignores it' : STATUS_TEXT[status];
  if (generation === null) return [`${directory}: ${state}`];
  const validity =
    validForMillis === null
      ? ''
      : validForMillis >= 0
        ? `, holds for ${number(validForMillis / 1000, 1)} s`
        : `, expired ${number(-validForMillis / 1000, 1)} s ago`;
  return [
    `${directory}: ${state}`,
    `generation ${generation}, ABI ${document.abi ?? '-'}, published ${number((publishedAgoMillis ?? 0) / 1000, 1)} s ago by pid ${String(document.writerPid ?? '-')}${validity}`,
    `source ${document.source ?? '-'}, split by ${document.split ?? '-'}, window ${number(document.windowSeconds)} s, reference ${number(document.referenceWatts)} W${document.hasTasks ? '' : ', no task entries'}`,
  ];
};

const packageLines = ({ packages }: FeedDocument): readonly string[] =>
  packages.length === 0
    ? []
    : [
        '',
        ...table([
          ['package', 'W', 'limit', 'headroom', 'idle', 'batch may', 'measured/predicted'],
          ...packages.map((one) => [
            String(one.packageId),
            number(one.watts),
            number(one.limitWatts),
            number(one.headroomWatts),
            number(one.idleFloorWatts),
            number(one.batchBudgetWatts),
            number(one.predictionScale),
          ]),
        ]),
      ];

const cgroupCells = (one: FeedCgroupRow): readonly string[] => [
  one.id,
  number(one.watts),
  number(one.budgetWatts),
  number(one.overRatio),
  one.class,
  one.flags.join(' '),
];

const taskCells = (one: FeedTaskRow): readonly string[] => [
  String(one.tid),
  number(one.runWatts),
  number(one.fastWatts),
  number(one.slowWatts),
  number(one.joules, 1),
  number(one.ageMillis, 1),
  number(one.queueWaitMillis),
  one.class,
  one.name,
];

const more = (count: number): readonly string[] =>
  count > SHOWN_ROWS ? [`… ${String(count - SHOWN_ROWS)} more; --json has all`] : [];

export const feedText = (document: FeedDocument): string => {
  const { cgroups, tasks } = document;
  const lines = [...headLines(document), ...packageLines(document)];
  if (cgroups.length > 0)
    lines.push(
      '',
      ...table([
        ['cgroup', 'W', 'budget', 'ratio', 'class', 'flags'],
        ...cgroups.slice(0, SHOWN_ROWS).map(cgroupCells),
      ]),
      ...more(cgroups.length),
    );
  if (tasks !== undefined)
    lines.push(
      '',
      ...table([
        ['tid', 'W running', 'W 100ms', 'W 1s', 'J', 'age ms', 'wait ms', 'class', 'name'],
        ...tasks.slice(0, SHOWN_ROWS).map(taskCells),
      ]),
      ...more(tasks.length),
    );
  return `${lines.join('\n')}\n`;
};
