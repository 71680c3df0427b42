// SPDX-License-Identifier: Apache-2.0
/** The help page of the live table: keys, and what each number means. */
import { span, type Line } from '../../terminal/line.js';
import { padEnd } from '../../terminal/width.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['w d j C P N', 'sort by watts, DRAM, joules, CPU, pid, name; again: reversed'],
  ['< > r', 'sort by the column left or right; reverse'],
  ['p c n u g', 'rows: processes, cgroups, names, users; g: pods and the others'],
  ['t', 'tree of processes or cgroups; each row sums up all below it'],
  ['up down H', 'select a process, show its threads; H again or Esc: back'],
  ['/ f', 'filter: a regular expression over name, cgroup, user; or a pid'],
  ['+ -', 'longer or shorter interval, 0.2 to 60 s'],
  ['Esc', 'leave threads, selection, filter'],
  ['q Ctrl-C', 'quit'],
];

const MEANINGS: readonly (readonly [string, string])[] = [
  ['WATTS', 'package power given to this row, mean over the interval'],
  ['DRAM', 'the same for memory, in watts; not contained in WATTS'],
  ['ENERGY', 'package and DRAM since the agent started'],
  ['CPU%', 'CPU time over the interval; 100 is one CPU'],
  ['- and ?', 'not measured on this machine; not known of this window'],
  ['idle', 'what the package draws when nothing runs: given to nobody'],
  ['unattributed', 'measured, but no process explains it'],
  ['(exited)', 'ended processes; (over the cap): more than the ledger keeps'],
  ['rest of machine', 'a whole-machine meter less packages and DRAM'],
];

const KEY_COLUMNS = 16;

const rows = (pairs: readonly (readonly [string, string])[]): readonly Line[] =>
  pairs.map(([name, text]) => [span(`  ${padEnd(name, KEY_COLUMNS)}`, 'strong'), span(text)]);

export const helpLines = (): readonly Line[] => [
  [span('Keys', 'heading')],
  ...rows(KEYS),
  [],
  [span('Numbers', 'heading')],
  ...rows(MEANINGS),
  [],
  [span('Any key leads back.', 'faint')],
];
