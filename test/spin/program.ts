// SPDX-License-Identifier: Apache-2.0
/** A program of the corpus, and how one is written down. */
import { fileURLToPath } from 'node:url';

export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  /** The kinds of spinning that describe it; empty: it works. */
  readonly kinds: readonly string[];
  /** It spins and is known not to be found always, or works and is known to be called spinning: see docs/spin.md. */
  readonly isMissed?: true;
  /** Of the processes that it starts, those with this in their command line are looked at; absent: all. */
  readonly only?: string;
  /** Programs that it needs beside its own command. */
  readonly needs?: readonly string[];
}

export const CORPUS = fileURLToPath(new URL('.', import.meta.url));

const kindsOf = (kinds: string): readonly string[] => (kinds === '' ? [] : kinds.split('|'));

const LEVELS = ['O0', 'O2'];

const compiled = (file: string, level: string, kind: string, kinds: string): Program => ({
  name: `${kind} -${level}`,
  command: [`${CORPUS}build/${file}-${level}`, kind],
  kinds: kindsOf(kinds),
});

/** Rows of `NAME KINDS, …`: programs of one file, each at both levels of optimisation. */
export const compiledSpinners = (
  file: string,
  rows: readonly string[],
  language = '',
): readonly Program[] =>
  rows
    .flatMap((row) => row.split(', '))
    .flatMap((one) => {
      const [kind = '', kinds = ''] = one.split(' ');
      return LEVELS.map((level) => {
        const program = compiled(file, level, kind, kinds);
        return { ...program, name: `${language}${program.name}` };
      });
    });

/** Rows of names. */
export const compiledWorkers = (file: string, rows: readonly string[]): readonly Program[] =>
  LEVELS.flatMap((level) =>
    rows.flatMap((row) => row.split(' ')).map((kind) => compiled(file, level, kind, '')),
  );

export const script = (name: string, kinds: string, ...command: readonly string[]): Program => ({
  name,
  command,
  kinds: kindsOf(kinds),
});

export const missed = (program: Program): Program => ({ ...program, isMissed: true });

export const javaScript = (name: string, kinds: string, source: string): Program =>
  script(`JavaScript ${name}`, kinds, process.execPath, '-e', source);
export const python = (name: string, kinds: string, source: string): Program =>
  script(`Python ${name}`, kinds, 'python3', '-c', source);
export const pythonFile = (name: string, kinds: string, file: string): Program =>
  script(`Python ${name}`, kinds, 'python3', `${CORPUS}scripts/${file}`);
export const java = (kind: string, kinds: string): Program =>
  script(`Java ${kind}`, kinds, 'java', '-cp', `${CORPUS}build`, 'Spin', kind);
export const shell = (name: string, kinds: string, source: string): Program =>
  script(name, kinds, 'bash', '-c', source);
