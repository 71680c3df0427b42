// SPDX-License-Identifier: Apache-2.0
/** The rows as tables of at most 80 columns. Pure. */
import type { MixRow } from './rows.js';

const NAME_WIDTH = 34;
const CELL_WIDTH = 9;

const line = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`.trimEnd();

const percent = (ratio: number): string => (ratio * 100).toFixed(1);

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

interface ShareColumn {
  readonly title: string;
  readonly of: (mix: string) => number;
}

const table = (title: string, mixes: readonly string[], columns: readonly ShareColumn[]): string =>
  [
    title,
    line(
      '',
      columns.map((column) => column.title),
    ),
    ...mixes.map((mix) =>
      line(
        mix,
        columns.map((column) => percent(column.of(mix))),
      ),
    ),
    line(
      'mean',
      columns.map((column) => percent(meanOf(mixes.map(column.of)))),
    ),
  ].join('\n');

/** Shares of wrong energy per mix: CPU time, then each agent; package with the worst load, and DRAM. */
export const shareTables = (rows: readonly MixRow[]): string => {
  const first = rows.filter((row) => row.pass === 0);
  const mixes = [...new Set(first.map((row) => row.mix))];
  const runs = [...new Set(first.map((row) => row.run))];
  const at = (run: string, mix: string): MixRow => {
    const found = first.find((row) => row.run === run && row.mix === mix);
    if (found === undefined) throw new Error(`no row of ${run}, ${mix}`);
    return found;
  };
  const [anyRun = ''] = runs;
  const columns = (kind: 'package' | 'dram'): readonly ShareColumn[] => [
    { title: 'CPU time', of: (mix) => at(anyRun, mix)[kind].cpuTime },
    ...runs.map((run) => ({ title: run, of: (mix: string) => at(run, mix)[kind].agent })),
  ];
  const worst = runs.map((run) => ({
    title: runs.length === 1 ? 'worst' : `w:${run}`.slice(0, CELL_WIDTH - 1),
    of: (mix: string) => at(run, mix).package.worst,
  }));
  return [
    table(
      'package: share of energy with the wrong load, and the load that is most wrong, %',
      mixes,
      [...columns('package'), ...worst],
    ),
    table('DRAM: share of energy with the wrong load, %', mixes, columns('dram')),
  ].join('\n\n');
};

/** Where CPU time errs by this much, the counter model must err by at most half of it. */
const TELLING_SHARE = 0.06;

export interface Verdict {
  readonly run: string;
  readonly meanShare: number;
  /** Mixes in which CPU time errs by at least 6 %. */
  readonly telling: number;
  /** Those of them in which the agent errs by more than half as much. */
  readonly missed: readonly string[];
}

export const verdicts = (rows: readonly MixRow[]): readonly Verdict[] => {
  const first = rows.filter((row) => row.pass === 0);
  return [...new Set(first.map((row) => row.run))].map((run) => {
    const own = first.filter((row) => row.run === run);
    const telling = own.filter((row) => row.package.cpuTime >= TELLING_SHARE);
    return {
      run,
      meanShare: meanOf(own.map((row) => row.package.agent)),
      telling: telling.length,
      missed: telling
        .filter((row) => row.package.agent > row.package.cpuTime / 2)
        .map((row) => row.mix),
    };
  });
};

/** What each load was given and what it used, per agent. */
export const loadTable = (rows: readonly MixRow[]): string =>
  [
    'package: shares of the energy by load, %',
    line('', ['CPU time', 'agent', 'truth', 'error']),
    ...rows
      .filter((row) => row.pass === 0)
      .flatMap((row) => [
        `${row.run}, ${row.mix}`,
        ...[...row.sharesOf].map(([name, { cpuTime, agent, truth }]) =>
          line(`  ${name}`, [cpuTime, agent, truth, agent - truth].map(percent)),
        ),
      ]),
  ].join('\n');

const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = (sorted.length - 1) / 2;
  return meanOf([sorted[Math.floor(middle)] ?? NaN, sorted[Math.ceil(middle)] ?? NaN]);
};

/** Largest move of a load, of a pass against the mean of the two around it; the median over such passes. */
const largestShift = (passes: readonly MixRow[], isWanted: (row: MixRow) => boolean): number => {
  const ratio = (row: MixRow, name: string): number => row.ratioOf.get(name) ?? NaN;
  const triples = passes.flatMap((row, at) => {
    const [before, after] = [passes[at - 1], passes[at + 1]];
    return before !== undefined && after !== undefined && isWanted(row)
      ? [{ row, before, after }]
      : [];
  });
  const shiftOf = (name: string): number =>
    medianOf(
      triples.map(
        ({ row, before, after }) =>
          ratio(row, name) / meanOf([ratio(before, name), ratio(after, name)]) - 1,
      ),
    );
  return Math.max(...(passes[0]?.loads ?? []).map((name) => Math.abs(shiftOf(name))));
};

/**
 * By how much the graphics unit's load moved each load's estimate against its truth, one entry per run and mix;
 * `against` is the same between the passes at rest: what moves without it.
 */
export const igpuShifts = (rows: readonly MixRow[]) => {
  const mixes = rows.filter(({ pass, isGraphicsBusy }) => pass === 2 && isGraphicsBusy);
  return mixes.map(({ run, mix }) => {
    // the first pass is where the agent gets to know the loads
    const passes = rows.filter((row) => row.run === run && row.mix === mix && row.pass > 0);
    const atRest = passes.filter((row) => !row.isGraphicsBusy);
    return {
      run,
      mix,
      largest: largestShift(passes, (row) => row.isGraphicsBusy),
      against: largestShift(atRest, () => true),
    };
  });
};
