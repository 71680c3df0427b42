// SPDX-License-Identifier: Apache-2.0
/** Builds and runs the C programs of test/support/load, which cause activity that the test knows. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const DIRECTORY = fileURLToPath(new URL('../load/', import.meta.url));
const LINE_WITHIN_MILLIS = 80_000;

export interface Load {
  readonly pid: number;
  /** Lets the program act, and resolves with the next line it says. */
  act(): Promise<string>;
  /** Ends the program and waits until it is reaped. */
  stop(): Promise<void>;
  /** Resolves when the program has ended by itself. */
  readonly ended: Promise<void>;
}

/** A program of test/support/load. */
export const loadPath = (name: string): string => `${DIRECTORY}build/${name}`;

export interface LoadOptions {
  /** `cgroup.procs` files that the program enters before it begins. */
  readonly cgroupProcs?: readonly string[];
  /** Programs that begin at once instead of saying `ready`. */
  readonly saysReady?: boolean;
}

export const buildLoads = (): void => {
  execFileSync('make', ['--silent', '-C', DIRECTORY], { stdio: ['ignore', 'ignore', 'inherit'] });
};

/** A shell enters the cgroups and becomes the program, so that the pid is the program's. */
const ENTER_AND_EXEC = 'for f in $1; do echo $$ > "$f" || exit 1; done; shift; exec "$@"';

const nextLine = async (lines: AsyncIterator<string>, name: string): Promise<string> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`wait for a line of ${name}: none within ${String(LINE_WITHIN_MILLIS)} ms`));
    }, LINE_WITHIN_MILLIS);
  });
  const line = await Promise.race([lines.next(), late]);
  clearTimeout(timer);
  if (line.done === true) throw new Error(`wait for a line of ${name}: it has ended`);
  return line.value;
};

/** Starts a program and waits until it is ready. */
export const startLoad = async (
  name: string,
  args: readonly (number | string)[],
  { cgroupProcs = [], saysReady = true }: LoadOptions = {},
): Promise<Load> => {
  const command = [loadPath(name), ...args.map(String)];
  const child = spawn('/bin/sh', ['-c', ENTER_AND_EXEC, 'sh', cgroupProcs.join(' '), ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => undefined);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { pid } = child;
  if (pid === undefined) throw new Error(`start ${name}: no process`);
  if (saysReady) await nextLine(lines, name);
  return {
    pid,
    ended,
    act: async () => {
      child.stdin.write('\n');
      return nextLine(lines, name);
    },
    stop: async () => {
      child.stdin.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
};
