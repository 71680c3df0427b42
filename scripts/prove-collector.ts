// SPDX-License-Identifier: Apache-2.0
/**
 * Proves the README's path with a Collector of one's own: its commands are typed as they stand there, with
 * the Collector and the Prometheus of the tests under the names of the released ones. Takes the ports that
 * these take by default, and the agent's own places.
 *
 *   node --import tsx scripts/prove-collector.ts
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { readmeCommands } from './lib/readme-block.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIMIT_MILLIS = 120_000;
const QUERY = 'sum by (wattfeed_origin) (wattfeed_process_energy_joules_total)';

const built = (script: string): string =>
  execFileSync('bash', [join(ROOT, 'scripts', script)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

const vector = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: z.tuple([z.number(), z.string()]),
      }),
    ),
  }),
});

/** Joules of processes by how they came about; empty while nothing has come. */
const joules = async (): Promise<readonly string[]> => {
  try {
    const url = `http://127.0.0.1:9090/api/v1/query?query=${encodeURIComponent(QUERY)}`;
    const { data } = vector.parse(await (await fetch(url)).json());
    return data.result.map(
      ({ metric, value }) => `${String(metric['wattfeed_origin'])} ${value[1]} J`,
    );
  } catch {
    return [];
  }
};

const twice = async (): Promise<readonly (readonly string[])[]> => {
  const seen: (readonly string[])[] = [];
  const deadline = performance.now() + LIMIT_MILLIS;
  while (seen.length < 2 && performance.now() < deadline) {
    await sleep(500);
    const found = await joules();
    if (found.length > 0 && found.join() !== seen.at(-1)?.join()) seen.push(found);
  }
  return seen;
};

const main = async (): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'wattfeed-collector-'));
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  symlinkSync(built('build-collector.sh'), join(programs, 'otelcol-contrib'));
  symlinkSync(join(built('build-prometheus.sh'), 'prometheus'), join(programs, 'prometheus'));
  symlinkSync(join(ROOT, 'dist/receiver/main.js'), join(programs, 'wattfeed'));
  // Prometheus makes its data where it is started.
  symlinkSync(join(ROOT, 'otel-config'), join(folder, 'otel-config'));
  const commands = readmeCommands('A Collector of your own');
  for (const command of commands) console.log(`$ ${command}`);
  const log = join(folder, 'log');
  // A group of its own, so that all of it can be ended.
  const shell = spawn('bash', ['-c', `exec >${log} 2>&1\n${commands.join('\n')}`], {
    cwd: folder,
    env: { ...process.env, PATH: `${programs}:${process.env['PATH'] ?? ''}` },
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(shell, 'close');
  const seen = await twice();
  if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGTERM');
  await Promise.race([ended, sleep(20_000)]);
  for (const found of seen) console.log(`in Prometheus: ${found.join(', ')}`);
  const isProven = seen.length === 2;
  if (!isProven) console.log(readFileSync(log, 'utf8').split('\n').slice(-30).join('\n'));
  console.log(isProven ? 'proven' : 'not proven: no joules, or they stand still');
  rmSync(folder, { recursive: true, force: true });
  return isProven ? 0 : 1;
};

process.exitCode = await main();
