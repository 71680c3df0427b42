// SPDX-License-Identifier: Apache-2.0
/** A program on a real pseudo-terminal, made by script(1) of util-linux. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.js';

export interface PtyProgram {
  /** For a program that writes its pid to the file PID_FILE. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Everything it wrote after the marker that the shell prints before it starts. */
  readonly output: () => string;
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** Its exit code and whether the terminal's settings are what they were before. */
  readonly ended: () => Promise<{ readonly exitCode: number; readonly isRestored: boolean }>;
  readonly kill: () => void;
}

const SIZE = { columns: 80, rows: 24 };
const START = '<<<start>>>';
const END = '<<<end>>>';

/** The shell says on which terminal it is and with which settings, before and after the program. */
const shellScript = (command: string): string =>
  `stty cols ${SIZE.columns} rows ${SIZE.rows}; echo "tty=$(tty)"; echo "before=$(stty -g)"; ` +
  `echo '${START}'; ${command}; code=$?; echo '${END}'; echo "after=$(stty -g)"; echo "code=$code;"`;

export const onPty = async (
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PtyProgram> => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-pty-'));
  const pidFile = join(directory, 'pid');
  const child = spawn('script', ['-qfec', shellScript(command), '/dev/null'], {
    env: {
      ...process.env,
      TERM: 'xterm',
      NO_COLOR: '',
      SHELL: '/bin/sh',
      PID_FILE: pidFile,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    text += chunk;
  });
  const field = (name: string): string | undefined =>
    new RegExp(`^${name}=([^\\r\\n;]*)`, 'm').exec(text)?.[1];
  await until('the shell on the terminal', () => text.includes(START));
  const tty = field('tty') ?? '';
  return {
    output: () => text.slice(text.indexOf(START) + START.length).replace(/^\r\n/, ''),
    type: (keys) => child.stdin.write(keys),
    resize: (columns, rows) => {
      execFileSync('stty', ['-F', tty, 'cols', String(columns), 'rows', String(rows)]);
    },
    signal: (signal) => {
      process.kill(Number(readFileSync(pidFile, 'utf8')), signal);
    },
    ended: async () => {
      await until('the end of the program', () => field('code') !== undefined, 15_000);
      return {
        exitCode: Number(field('code')),
        isRestored: field('before') === field('after'),
      };
    },
    kill: () => {
      child.stdin.end();
      child.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
