// SPDX-License-Identifier: Apache-2.0
import { Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { escapeText } from '../model/escape.js';
import type { ExaminedThread, ListingLine } from '../spin/examine.js';
import { clipEnd, clipStart } from '../terminal/width.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
import { wrapText } from '../check/wrap-text.js';
import type { Finish, ProgramDeps } from './deps.js';
import { FINE, failed, usage } from './outcome.js';

const EXAMPLES = `
Examples:
  wattfeed spin 812                 do the threads of process 812 wait awake?
  wattfeed spin 812 --seconds 10    look longer
  wattfeed spin 812 --json          one JSON document

Exit code 0: examined, whatever was found; 1: it could not be.
`;

const DEFAULT_SECONDS = 3;
const MAX_SECONDS = 600;
const MAX_PID = 4_194_304;

const wholeWithin =
  (low: number, high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`Whole numbers from ${String(low)} to ${String(high)}.`);
  };

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

const COLUMNS = 80;
const INDENT = '  ';
const MIN_FILE_COLUMNS = 32;

const verdictText = ({ verdict }: ExaminedThread): string => {
  switch (verdict._tag) {
    case 'Spinning':
      return `spins (${verdict.kind}, confidence ${verdict.confidence.toFixed(2)})`;
    case 'Working':
      return 'works';
    case 'Unknown':
      return 'unknown';
  }
};

/** Function and file; the file's end says more than its beginning. */
const placeText = ({ hottestFunction, hottestPlace, kernelShare }: ExaminedThread): string => {
  const file = hottestPlace === '' ? 'code made while running' : escapeText(hottestPlace);
  const at = hottestFunction === undefined ? 'hottest' : escapeText(hottestFunction);
  const begin = clipEnd(`${INDENT}${percent(kernelShare)} in the kernel; ${at} in `, COLUMNS);
  const room = COLUMNS - begin.length;
  return room < file.length && room < MIN_FILE_COLUMNS
    ? `${begin}\n${INDENT}${clipStart(file, COLUMNS - INDENT.length)}`
    : `${begin}${clipStart(file, room)}`;
};

const listingText = ({ address, text, share }: ListingLine): string =>
  clipEnd(
    `${INDENT}${percent(share).padStart(5)}  ${address.toString(16).padStart(12)}  ${text}`,
    COLUMNS,
  );

const textOf = (thread: ExaminedThread): string =>
  [
    clipEnd(
      `thread ${String(thread.tid)} (${escapeText(thread.threadName)}): ${verdictText(thread)}`,
      COLUMNS,
    ),
    ...wrapText(thread.verdict.evidence, COLUMNS, INDENT, INDENT),
    placeText(thread),
    ...thread.listing.map(listingText),
    '',
  ].join('\n');

const hexOf = (address: bigint): string => `0x${address.toString(16)}`;

const jsonOf = (pid: number, threads: readonly ExaminedThread[]): string =>
  JSON.stringify(
    {
      pid,
      threads: threads.map(
        ({ verdict: { _tag, ...verdict }, hottestAddress, listing, ...thread }) => ({
          ...thread,
          verdict: _tag.toLowerCase(),
          ...verdict,
          hottestAddress: hottestAddress === undefined ? undefined : hexOf(hottestAddress),
          listing: listing.map((line) => ({ ...line, address: hexOf(line.address) })),
        }),
      ),
    },
    undefined,
    2,
  );

const report = (pid: number, threads: readonly ExaminedThread[]): string =>
  threads.length === 0
    ? `process ${String(pid)}: no thread of it ran\n`
    : threads.map(textOf).join('\n');

interface SpinFlags {
  readonly seconds: number;
  readonly json?: true;
}

export const spinCommand = (deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command()
    .argument('<pid>', 'the process', wholeWithin(1, MAX_PID))
    .option('--seconds <n>', 'how long to sample', wholeWithin(1, MAX_SECONDS), DEFAULT_SECONDS)
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES);
  const flags = addConfigFlags(command);
  return command.action(async (pid: number, { seconds, json }: SpinFlags) => {
    const config = configOfFlags(flags, deps.io.env);
    if (E.isLeft(config)) return finish(usage(...config.left));
    const examined = await deps.examine({
      procfsRoot: config.right.roots.procfs,
      pid,
      seconds,
      pollers: config.right.spin.pollers,
    })();
    if (E.isLeft(examined)) return finish(failed(examined.left));
    const text = json === true ? `${jsonOf(pid, examined.right)}\n` : report(pid, examined.right);
    deps.io.stdout.write(text);
    finish(FINE);
  });
};
