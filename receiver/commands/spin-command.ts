// SPDX-License-Identifier: Apache-2.0
import { Command, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { escapeText } from '../model/escape.js';
import type { Examination } from '../spin/examine.js';
import { addConfigFlags, configOfFlags } from './config-flags.js';
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

const verdictLine = ({ tid, verdict }: Examination): string => {
  const of = `thread ${String(tid)}`;
  switch (verdict._tag) {
    case 'Spinning':
      return `${of}: spins (${verdict.kind}, confidence ${verdict.confidence.toFixed(2)}): ${verdict.evidence}`;
    case 'Working':
      return `${of}: works: ${verdict.evidence}`;
    case 'Unknown':
      return `${of}: unknown: ${verdict.evidence}`;
  }
};

const textOf = (examination: Examination): string => {
  const { listing, hottestPlace, kernelShare } = examination;
  const place = hottestPlace === '' ? 'code made while running' : hottestPlace;
  return [
    verdictLine(examination),
    `  ${percent(kernelShare)} in the kernel; hottest code in ${escapeText(place)}`,
    ...listing.map(
      ({ address, text, share }) =>
        `  ${percent(share).padStart(5)}  ${address.toString(16).padStart(12)}  ${text}`,
    ),
    '',
  ].join('\n');
};

const jsonOf = (pid: number, threads: readonly Examination[]): string =>
  JSON.stringify(
    {
      pid,
      threads: threads.map((thread) => ({
        ...thread,
        listing: thread.listing.map((line) => ({
          ...line,
          address: `0x${line.address.toString(16)}`,
        })),
      })),
    },
    undefined,
    2,
  );

const report = (pid: number, threads: readonly Examination[]): string =>
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
    })();
    if (E.isLeft(examined)) return finish(failed(examined.left));
    const text = json === true ? `${jsonOf(pid, examined.right)}\n` : report(pid, examined.right);
    deps.io.stdout.write(text);
    finish(FINE);
  });
};
