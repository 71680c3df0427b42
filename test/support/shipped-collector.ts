// SPDX-License-Identifier: Apache-2.0
/** The built Collector with a configuration as it is shipped, told its places by environment variables. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { collectorBinary, CONFIG_DIRECTORY } from './collector-process.js';
import { until } from './until.js';

const START_DEADLINE_MILLIS = 30_000;
/** The Collector's own last word before it works. */
const READY = 'Everything is ready';

export interface ShippedCollector {
  readonly pid: number;
  /** Standard error so far. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

export interface CollectorSettings {
  /** Paths below otel-config/, or absolute; a later one changes earlier ones. */
  readonly configs: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `--set` values: what a test must change and no variable offers. */
  readonly set?: readonly string[];
}

const argumentsOf = ({ configs, set = [] }: CollectorSettings): readonly string[] => [
  ...configs.flatMap((path) => ['--config', join(CONFIG_DIRECTORY, path)]),
  // Its own metrics would all listen on one port.
  ...['service::telemetry::metrics::level=none', ...set].flatMap((value) => ['--set', value]),
];

const environmentOf = ({ env = {} }: CollectorSettings): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...env,
});

/** What `otelcol validate` says; empty if the configuration is good. */
export const validate = (settings: CollectorSettings): string => {
  const run = spawnSync(collectorBinary(), ['validate', ...argumentsOf(settings)], {
    env: environmentOf(settings),
    encoding: 'utf8',
  });
  return run.status === 0 ? '' : `${run.stdout}${run.stderr}`;
};

export const startCollector = async (settings: CollectorSettings): Promise<ShippedCollector> => {
  const child: ChildProcess = spawn(collectorBinary(), argumentsOf(settings), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentOf(settings),
  });
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`the Collector ended:\n${text}`);
    return text.includes(READY);
  };
  await until('the Collector to be ready', isReady, START_DEADLINE_MILLIS);
  return {
    pid: child.pid ?? -1,
    log: () => text,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
};
