// SPDX-License-Identifier: Apache-2.0
/** `wattfeed top` as a process whose output is no terminal. */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../support/until.js';
import { viewerProgram } from '../../../support/viewer-program.js';

const viewer = viewerProgram();
afterAll(viewer.remove);

const TIMEOUT_MILLIS = 40_000;

const piped = (args: readonly string[]) =>
  spawnSync(viewer.command, [...viewer.args, 'top', '--config', viewer.configFile, ...args], {
    encoding: 'utf8',
  });

const succeeds = (act: () => number): boolean => {
  try {
    return act() > 0;
  } catch {
    return false;
  }
};

/** Both ends of a pipe; what is in it can be looked at, and it can be filled to the last byte. */
const openPipe = (path: string) => {
  spawnSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  return {
    fd,
    hasOutput: () => succeeds(() => readSync(fd, Buffer.alloc(1))),
    // In pages, then in bytes: a write of up to a page is all or nothing.
    fill: () => {
      for (const size of [4096, 1]) while (succeeds(() => writeSync(fd, Buffer.alloc(size))));
    },
  };
};

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

  it('ends on SIGTERM though its reader hangs', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'wattfeed-pipe-'));
    const { fd, hasOutput, fill } = openPipe(join(directory, 'pipe'));
    const args = [...viewer.args, 'top', '--config', viewer.configFile, '--json'];
    const child = spawn(viewer.command, args, { stdio: ['ignore', fd, 'inherit'] });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await until('the first window is there', hasOutput, TIMEOUT_MILLIS / 2);
    fill();
    // Windows come each 100 ms: after some of them one waits in the viewer, which shows nowhere.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
    closeSync(fd);
    rmSync(directory, { recursive: true });
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
