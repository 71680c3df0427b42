// SPDX-License-Identifier: Apache-2.0
/** `wattfeed top` as a process whose output is no terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { viewerProgram } from '../../../support/viewer-program.js';

const viewer = viewerProgram();
afterAll(viewer.remove);

const TIMEOUT_MILLIS = 40_000;

const piped = (args: readonly string[]) =>
  spawnSync(viewer.command, [...viewer.args, 'top', '--config', viewer.configFile, ...args], {
    encoding: 'utf8',
  });

describe('wattfeed top in a pipe', { timeout: TIMEOUT_MILLIS }, () => {
  it('prints one block for --once, without escape sequences', () => {
    const { stdout, status } = piped(['--once', '--rows', '2']);
    expect(status).toBe(0);
    expect(stdout).not.toContain('\x1b');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .filter((line) => !line.startsWith('#')),
    ).toHaveLength(3);
  });

  it('prints one JSON document for --once --json', () => {
    const { stdout, status } = piped(['--once', '--json', '--by', 'user']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      groups: [{ name: 'alice' }, {}, {}, {}],
      viewer: { isJoined: false },
    });
  });

  it('streams a document per line, and ends quietly when the reader has enough', async () => {
    const child = spawn('/bin/sh', [
      '-c',
      `${viewer.shellCommand} top --config ${viewer.configFile} --json | head -3`,
    ]);
    let text = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, complaints]).toEqual([0, '']);
    const indexes = text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(indexes).toHaveLength(3);
  });

  it('shows the threads of one process', () => {
    const { stdout, status } = piped(['--once', '--threads', '812']);
    expect(status).toBe(0);
    expect(stdout).toContain('a-thread');
  });

  it('refuses to measure itself where --socket names an agent that is not there', () => {
    const { stderr, status } = piped(['--once', '--socket', '/nonexistent/agent.sock']);
    expect([status, stderr]).toEqual([
      1,
      'wattfeed: join /nonexistent/agent.sock: no agent listens there; start one with wattfeed run\n',
    ]);
  });
});
