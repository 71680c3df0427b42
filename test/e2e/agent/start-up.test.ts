// SPDX-License-Identifier: Apache-2.0
/** What each command loads: start-up time and memory are mostly that. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN, agentPlace, startAgent, stopAgent } from '../../support/agent-process.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-start-up-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Writes the address of each file that is loaded, imported or required, to $LOADED. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load: (url, context, next) => {
      appendFileSync(process.env.LOADED, url + '\\n');
      return next(url, context);
    },
  });
`)}`;

const PACKAGE = /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//;

/** Names of the packages that a command line loads. */
const packagesOf = (...args: readonly string[]): ReadonlySet<string> => {
  const loaded = join(directory, `loaded-${args.join('-')}`);
  execFileSync(process.execPath, ['--import', RECORDER, MAIN, ...args], {
    env: { LOADED: loaded },
    stdio: 'ignore',
  });
  const urls = readFileSync(loaded, 'utf8').split('\n');
  return new Set(urls.flatMap((url) => PACKAGE.exec(url)?.[1] ?? []));
};

describe('wattfeed', () => {
  it('loads no schema, no exporter and no file format for its help', () => {
    expect([...packagesOf('--help')].sort()).toEqual(['commander', 'fp-ts']);
    expect([...packagesOf('--version')].sort()).toEqual(['commander', 'fp-ts']);
  });

  it('loads no exporter for what does not export', () => {
    for (const command of ['config', 'top']) {
      const packages = [...packagesOf(command, '--help')];
      expect(packages).toContain('zod');
      expect(packages.filter((name) => /grpc|opentelemetry|protobuf/.test(name))).toEqual([]);
    }
    const checked = [...packagesOf('config')];
    expect(checked).toContain('yaml');
    expect(checked.filter((name) => /grpc|opentelemetry|protobuf/.test(name))).toEqual([]);
  });

  it('runs with the young generation that its first line asks for', async () => {
    const place = agentPlace();
    const agent = await startAgent(place);
    const [, flag] = readFileSync(`/proc/${String(agent.pid)}/cmdline`, 'utf8').split('\0');
    expect((await stopAgent(agent)).code).toBe(0);
    place.remove();
    expect(flag).toBe('--min-semi-space-size=2');
  });
});
