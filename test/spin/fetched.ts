// SPDX-License-Identifier: Apache-2.0
/** Programs that the corpus wants and this machine lacks, unpacked from Debian packages beside the system. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CORPUS } from './program.js';

const PACKAGES: Readonly<Record<string, string>> = {
  'redis-server': 'redis-server',
  'redis-benchmark': 'redis-tools',
  'stress-ng': 'stress-ng',
  sqlite3: 'sqlite3',
  zstd: 'zstd',
};
const LIMIT_MILLIS = 120_000;

const directory = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'wattfeed',
  'spin-programs',
);
const below = (...places: readonly string[]): string =>
  places.map((place) => join(directory, 'root', place)).join(delimiter);

/** For whatever the corpus starts: the machine's own programs come first. */
export const corpusEnv = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: [process.env['PATH'], below('usr/bin', 'usr/sbin')].join(delimiter),
  LD_LIBRARY_PATH: [
    process.env['LD_LIBRARY_PATH'],
    below(`usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
  ]
    .filter(Boolean)
    .join(delimiter),
});

const hasCommand = (command: string): boolean => {
  try {
    execFileSync('which', [command], { stdio: 'ignore', env: corpusEnv() });
    return true;
  } catch {
    return false;
  }
};

/** Fetches what can be fetched of them; returns those that are there, then. */
export const commandsThere = (commands: readonly string[]): ReadonlySet<string> => {
  const wanted = commands
    .filter((command) => !hasCommand(command))
    .flatMap((command) => PACKAGES[command] ?? []);
  if (wanted.length > 0 && hasCommand('apt-get') && !existsSync(join(directory, 'done'))) {
    mkdirSync(directory, { recursive: true });
    try {
      const fetch = [`${CORPUS}fetch.sh`, directory, ...wanted];
      execFileSync('bash', fetch, {
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: LIMIT_MILLIS,
      });
    } catch (error) {
      console.log(`could not fetch ${wanted.join(', ')}: ${String(error)}`);
    }
  }
  return new Set(commands.filter(hasCommand));
};
