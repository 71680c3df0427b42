// SPDX-License-Identifier: Apache-2.0
/** The agent's look-out for threads that spin: from the first window to the log and the metrics. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  heldProgramIds,
  startAgent,
  stopAgent,
  stillLoaded,
} from '../../support/agent-process.js';
import { until } from '../../support/until.js';

const DIRECTORY = fileURLToPath(new URL('../../spin/', import.meta.url));
/** 10 s on a machine with a CPU to spare; among twenty other busy threads each has its turn first. */
const FOUND_WITHIN_MILLIS = 120_000;
const LIMIT_MILLIS = 240_000;
/** Others' busy threads must not use up what there is for looking. */
const GENEROUS = ['--spin-max-examined=16', '--spin-cpu-percent=20'];

const threadCount = (pid: number): number => readdirSync(`/proc/${String(pid)}/task`).length;

describe('wattfeed run', () => {
  beforeAll(() => {
    execFileSync('make', ['--silent', '-C', DIRECTORY, 'build/spinners-O2', 'build/honest-O2'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });

  it(
    'names a thread that spins, says when it has ended, and unloads the sampler',
    { timeout: LIMIT_MILLIS },
    async () => {
      const place = agentPlace();
      const agent = await startAgent(place, { flags: GENEROUS });
      const loaded = heldProgramIds(agent.pid);
      const threads = threadCount(agent.pid);
      const spinner = spawn(`${DIRECTORY}build/spinners-O2`, ['flag'], { stdio: 'ignore' });
      const honest = spawn(`${DIRECTORY}build/honest-O2`, ['hash'], { stdio: 'ignore' });
      try {
        const line = `thread spins pid=${String(spinner.pid)} tid=${String(spinner.pid)} kind=flag`;
        const millis = await until(
          'it is named',
          () => agent.log().includes(line),
          FOUND_WITHIN_MILLIS,
        );
        console.log(`found after ${(millis / 1000).toFixed(1)} s`);
        // It was decided beside the event loop.
        expect(threadCount(agent.pid)).toBeGreaterThan(threads);
        expect(agent.log()).not.toContain(`pid=${String(honest.pid)}`);
        for (const child of [spinner, honest]) {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        }
        await until(
          'its end is said',
          () => agent.log().includes(`thread no longer spins pid=${String(spinner.pid)}`),
          60_000,
        );
        // It comes back for a moment while others on this machine are looked at.
        await until(
          'the sampler to go',
          () => heldProgramIds(agent.pid).length === loaded.length,
          60_000,
        );
      } finally {
        spinner.kill('SIGKILL');
        honest.kill('SIGKILL');
        const ids = heldProgramIds(agent.pid);
        expect((await stopAgent(agent)).code).toBe(0);
        place.remove();
        expect(stillLoaded(ids)).toEqual([]);
      }
    },
  );
});
