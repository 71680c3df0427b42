// SPDX-License-Identifier: Apache-2.0
/** Files that never end, and a signal that opens a debugger in other programs of Node. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  startAgent,
  stopAgent,
  topOnce,
  wattfeed,
} from '../../support/agent-process.js';

let directory = '';
let pipe = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-odd-'));
  pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe('wattfeed, given a file that never ends', () => {
  it.each([
    ['replay', 'none.ndjson', '--coefficients'],
    ['feed', '--simulate'],
    ['config', '--check'],
  ])('refuses it in %s', (...command) => {
    expect(wattfeed([...command, '/dev/zero'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('read /dev/zero: a device, not a regular file'),
    });
    expect(wattfeed([...command, pipe])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a pipe, not a regular file'),
    });
  });
});

describe('wattfeed run, sent SIGUSR1', () => {
  it('opens no debugger, and goes on', async () => {
    const place = agentPlace();
    const agent = await startAgent(place);
    try {
      process.kill(agent.pid, 'SIGUSR1');
      // Node would have said so long before a viewer has started and ended.
      const { agent: seen } = topOnce(place);
      expect(seen.pid).toBe(agent.pid);
      expect(await stopAgent(agent)).toEqual({ code: 0, signal: null });
      expect(agent.log()).not.toContain('Debugger');
    } finally {
      // Gone already where all is well.
      agent.child.kill('SIGKILL');
      place.remove();
    }
  });
});
