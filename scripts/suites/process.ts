// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync } from 'node:child_process';

/** Time between the polite and the forced end of a command that ran too long. */
const KILL_GRACE_MILLIS = 10_000;

export interface Exit {
  readonly exitCode: number;
  readonly timedOut: boolean;
  /** stdout and stderr as one text; empty if they were streamed. */
  readonly output: string;
}

export interface RunOptions {
  readonly timeoutMillis: number;
  /** `stream`: the person sees it as it comes. `keep`: it is returned. `both`: both. */
  readonly output: 'stream' | 'keep' | 'both';
}

/** Runs a command to its end. Never throws: a command that cannot be started has exit code 127. */
export const runCommand = (command: readonly string[], options: RunOptions): Promise<Exit> =>
  new Promise((resolve) => {
    const [program = '', ...args] = command;
    const child = spawn(program, args, {
      stdio:
        options.output === 'stream' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    const chunks: string[] = [];
    const take = (chunk: string): void => {
      chunks.push(chunk);
      if (options.output === 'both') process.stdout.write(chunk);
    };
    let timedOut = false;
    let forceTimer: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGTERM');
      forceTimer = setTimeout(() => child.kill('SIGKILL'), KILL_GRACE_MILLIS);
    }, options.timeoutMillis);
    const end = (exitCode: number) => {
      clearTimeout(timer);
      clearTimeout(forceTimer);
      resolve({ exitCode, timedOut, output: chunks.join('') });
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      chunks.push(`${program}: ${error.message}\n`);
      end(127);
    });
    child.on('close', (code) => end(code ?? 128));
  });

/** First line of what a short command prints, or undefined if it fails or is not there. */
export const firstLineOf = (program: string, ...args: readonly string[]): string | undefined => {
  const result = spawnSync(program, [...args], { encoding: 'utf8', timeout: 10_000 });
  return result.status === 0 ? result.stdout.split('\n')[0] : undefined;
};
