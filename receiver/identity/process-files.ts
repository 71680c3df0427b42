// SPDX-License-Identifier: Apache-2.0
/** What /proc says of a process beyond the kernel side's records: its executable and its command line. */
import { readFileSync, readlinkSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { escapeBytes } from '../model/escape.js';
import { redactArguments } from './redact.js';

const orUndefined = <A>(read: () => A): A | undefined =>
  E.getOrElse<unknown, A | undefined>(() => undefined)(E.tryCatch(read, (error) => error));

/** The kernel's mark behind the path of a file that was replaced or removed while it runs. */
const DELETED = ' (deleted)';

/** Path of the executable in the process's own mount namespace, escaped; undefined for kernel threads. */
export const executablePath = (procfs: string, pid: number): string | undefined =>
  orUndefined(() => {
    const link = escapeBytes(readlinkSync(`${procfs}/${String(pid)}/exe`, { encoding: 'buffer' }));
    return link.endsWith(DELETED) ? link.slice(0, -DELETED.length) : link;
  });

/** Longest command line that is read: the rest tells nobody anything. */
const MAX_COMMAND_BYTES = 4_096;

/** Escaped; undefined for kernel threads and the dead. */
export const commandArguments = (procfs: string, pid: number): readonly string[] | undefined =>
  orUndefined(() => {
    const bytes = readFileSync(`${procfs}/${String(pid)}/cmdline`).subarray(0, MAX_COMMAND_BYTES);
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    if (end === 0) return undefined;
    const args: string[] = [];
    for (let from = 0; from <= end;) {
      const nul = bytes.indexOf(0, from);
      const to = nul === -1 || nul > end ? end : nul;
      args.push(escapeBytes(bytes, from, to));
      from = to + 1;
    }
    return args;
  });

export type CommandLineMode = 'off' | 'redacted' | 'full';

/** Arguments separated by blanks, as far as they may leave the node; undefined: nothing may. */
export const commandLineFor = (
  mode: CommandLineMode,
  procfs: string,
  pid: number,
): string | undefined => {
  if (mode === 'off') return undefined;
  const args = commandArguments(procfs, pid);
  return (mode === 'full' ? args : args && redactArguments(args))?.join(' ');
};

/** Runtimes that give their first thread a name of its own, so that the process is called after it. */
const FIRST_THREADS: ReadonlySet<string> = new Set(['MainThread']);

/** `comm`, or the executable's name where the comm is only that of a runtime's first thread (Node). */
export const mendedName = (procfs: string, pid: number, comm: string): string => {
  if (!FIRST_THREADS.has(comm)) return comm;
  const path = executablePath(procfs, pid);
  const name = path?.slice(path.lastIndexOf('/') + 1);
  return name === undefined || name === '' ? comm : name;
};
