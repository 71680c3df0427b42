// SPDX-License-Identifier: Apache-2.0
/** The built agent as a process of its own, with places that no other agent shares. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { AgentReport } from '../../receiver/model/agent-report.js';
import { reportSchema } from '../../receiver/socket/report-schema.js';
import { until } from './until.js';

export const MAIN = new URL('../../dist/receiver/main.js', import.meta.url).pathname;

/** A lock directory and a socket in a folder of their own. */
export interface AgentPlace {
  readonly directory: string;
  readonly socketPath: string;
  readonly flags: readonly string[];
  readonly remove: () => void;
}

export const agentPlace = (): AgentPlace => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-agent-'));
  const socketPath = join(directory, 'agent.sock');
  const flags = [
    `--agent-socket-path=${socketPath}`,
    `--agent-pin-directory=${join(directory, 'pins')}`,
    `--agent-state-directory=${join(directory, 'state')}`,
  ];
  return {
    directory,
    socketPath,
    flags,
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

export interface AgentExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Standard error so far. */
  readonly log: () => string;
  readonly exited: Promise<AgentExit>;
}

/** A descriptor may be closed between listing and reading. */
const readTextOrEmpty = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const AGENT_READY_MILLIS = 30_000;

export interface AgentSpawn {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Put before the program, e.g. `setpriv …`. */
  readonly wrapper?: readonly string[];
}

/** Nothing of the caller's OTEL_ settings leaks in; nothing is exported unless asked for. */
const agentEnv = (env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  // The program is started by its own first line, as a user starts it: with the node of the tests.
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  OTEL_METRICS_EXPORTER: 'none',
  ...env,
});

export const spawnAgent = (place: AgentPlace, options: AgentSpawn = {}): AgentProcess => {
  const { flags = [], env, wrapper = [] } = options;
  const line = [...wrapper, MAIN, 'run', ...place.flags, ...flags];
  const [command = MAIN, ...args] = line;
  const child = spawn(command, args, { env: agentEnv(env), stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const exited = new Promise<AgentExit>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
  return { child, pid: child.pid ?? -1, log: () => text, exited };
};

/** Resolves when the agent measures and serves viewers. */
export const startAgent = async (
  place: AgentPlace,
  options: AgentSpawn = {},
): Promise<AgentProcess> => {
  const agent = spawnAgent(place, options);
  const hasExited = (): boolean => agent.child.exitCode !== null || agent.child.signalCode !== null;
  const isReady = (): boolean => hasExited() || agent.log().includes('info: measuring');
  try {
    await until('the agent measures', isReady, AGENT_READY_MILLIS);
  } catch (error) {
    // Nobody else knows of it, and it would measure for ever.
    agent.child.kill('SIGKILL');
    throw error;
  }
  if (hasExited()) throw new Error(`the agent ended at start: ${agent.log()}`);
  return agent;
};

export const stopAgent = async (agent: AgentProcess): Promise<AgentExit> => {
  agent.child.kill('SIGTERM');
  return agent.exited;
};

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command to its end. */
export const wattfeed = (
  args: readonly string[],
  { env, wrapper = [] }: Pick<AgentSpawn, 'env' | 'wrapper'> = {},
): CommandResult => {
  const [command = MAIN, ...rest] = [...wrapper, MAIN, ...args];
  const result = spawnSync(command, rest, {
    env: agentEnv(env),
    encoding: 'utf8',
    timeout: AGENT_READY_MILLIS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: result.status, stdout: result.stdout, stderr: result.stderr };
};

/** The last window as `top --once --json` prints it. */
export const topOnce = (place: AgentPlace, flags: readonly string[] = []): AgentReport => {
  const result = wattfeed(['top', '--once', '--json', ...place.flags, ...flags]);
  if (result.code !== 0) throw new Error(`top failed: ${result.stderr}`);
  return reportSchema.parse(JSON.parse(result.stdout));
};

/** Ids of the BPF programs that a process holds, from the kernel's own listing of its descriptors. */
export const heldProgramIds = (pid: number): readonly number[] => {
  const directory = `/proc/${String(pid)}/fdinfo`;
  const ids = readdirSync(directory).flatMap((fd) => {
    const match = /^prog_id:\s*(\d+)$/m.exec(readTextOrEmpty(join(directory, fd)));
    return match === null ? [] : [Number(match[1])];
  });
  return [...new Set(ids)];
};

/** Those of the ids that are still loaded. */
export const stillLoaded = (ids: readonly number[]): readonly number[] =>
  ids.filter((id) => spawnSync('bpftool', ['prog', 'show', 'id', String(id)]).status === 0);
