// SPDX-License-Identifier: Apache-2.0
/** Real connections by real users: SO_PEERCRED through the addon, and the agent's socket behind it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, openSync, closeSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPeerCredentials } from '../../native/index.js';
import { createLogger } from '../../receiver/agent/logger.js';
import { createPeerGate } from '../../receiver/agent/peer-gate.js';
import { serveReports } from '../../receiver/socket/server.js';
import { fakeAgent } from '../support/fake-agent.js';
import { valueOf } from './support.js';

const NOBODY_ID = 65_534;

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-peer-'));
  path = join(directory, 'agent.sock');
  chmodSync(directory, 0o755);
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/**
 * The first line that the server sends to a client of this user, and whether it then hangs up. The
 * client gives up root itself: not every user may execute this Node where it lies.
 */
const CLIENT = `
  const [path, id] = process.argv.slice(1);
  process.setgroups([]);
  process.setgid(Number(id));
  process.setuid(Number(id));
  let text = '';
  const socket = require('net').connect(path);
  socket.on('error', (error) => console.log(error.code));
  socket.on('data', (chunk) => {
    text += chunk;
    if (text.includes('"hello"')) socket.destroy();
  });
  socket.on('close', () => console.log(text.trim()));`;

const answerFor = async (id: number): Promise<string> => {
  const child = spawn(process.execPath, ['-e', CLIENT, path, String(id)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text.trim();
};

const openedServer = async () => {
  const lines: string[] = [];
  const gate = createPeerGate(createLogger('info', (line) => lines.push(line)));
  const server = valueOf(await serveReports(path, fakeAgent(), gate)());
  return { server, gate, lines };
};

describe('readPeerCredentials', () => {
  it('says what is no connected unix socket', () => {
    const file = openSync('/dev/null', 'r');
    expect(readPeerCredentials(file)).toMatchObject({ left: { code: 'ENOTSOCK' } });
    closeSync(file);
    expect(readPeerCredentials(1_000_000)).toMatchObject({ left: { code: 'EBADF' } });
  });

  it('names nobody behind a TCP connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const handle: unknown = Reflect.get(server, '_handle');
    const fd: unknown = Reflect.get(new Object(handle), 'fd');
    expect(readPeerCredentials(Number(fd))).toMatchObject({ left: { code: 'ENOTCONN' } });
    server.close();
  });
});

describe('serveReports behind the real gate', () => {
  it('serves its own user', async () => {
    const { server, gate } = await openedServer();
    expect(JSON.parse(await answerFor(0))).toMatchObject({ type: 'hello' });
    expect(gate.refusedCount()).toBe(0);
    await server.close('over');
  });

  it('keeps another user out by the mode of the file', async () => {
    const { server, gate } = await openedServer();
    expect(await answerFor(NOBODY_ID)).toBe('EACCES');
    expect(gate.refusedCount()).toBe(0);
    await server.close('over');
  });

  it('refuses another user where somebody opened the file, and warns once', async () => {
    const { server, gate, lines } = await openedServer();
    chmodSync(path, 0o666);
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await answerFor(NOBODY_ID);
      expect(answer).not.toContain('hello');
      expect(JSON.parse(answer)).toEqual({
        type: 'error',
        id: null,
        error: {
          code: 'not-allowed',
          message: 'not allowed: this agent serves root and its own user, not uid 65534',
        },
      });
    }
    expect(gate.refusedCount()).toBe(2);
    expect(server.viewerCount()).toBe(0);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^wattfeed: warn: viewer refused .*uid=65534\n$/);
    expect(JSON.parse(await answerFor(0))).toMatchObject({ type: 'hello' });
    await server.close('over');
  });
});
