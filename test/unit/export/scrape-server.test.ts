// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScrapeServer, type ScrapeServer } from '../../../receiver/export/scrape-server.js';
import { freePort } from '../../support/collector-process.js';
import { rightOf } from '../../support/either.js';
import { until } from '../../support/until.js';

const PATIENCE_MILLIS = 1_000;
/** More than the socket's buffers hold. */
const LONG_ANSWER = 'x'.repeat(32 * 1024 * 1024);

describe('startScrapeServer', () => {
  let port = 0;
  let server: ScrapeServer;
  let asked = 0;
  let hungUp = 0;
  beforeAll(async () => {
    port = await freePort();
    const started = await startScrapeServer(
      { host: '127.0.0.1', port },
      ({ url }, response) => {
        asked += 1;
        response.once('close', () => (hungUp += 1));
        response.end(url === '/metrics?long' ? LONG_ANSWER : 'up 1\n');
      },
      PATIENCE_MILLIS,
    )();
    server = rightOf(started);
  });
  afterAll(async () => {
    await server.stop();
  });

  const urlOf = (path: string): string => `http://127.0.0.1:${String(port)}${path}`;
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const allClosed = async (sockets: readonly Socket[]): Promise<void> => {
    await until('the server hangs up', () => sockets.every(({ closed }) => closed), 20_000);
  };

  it.each([
    ['GET', '/metrics', 200],
    ['GET', '/metrics?name[]=x', 200],
    ['HEAD', '/metrics', 200],
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '/..%2fmetrics', 404],
    ['POST', '/metrics', 405],
    ['DELETE', '/metrics', 405],
  ])('answers %s %s with %i', async (method, path, status) => {
    const before = asked;
    const response = await fetch(urlOf(path), { method });
    expect(response.status).toBe(status);
    expect(asked - before).toBe(status === 200 ? 1 : 0);
  });

  it('hangs up on requests that never end, and on answers that nobody reads', async () => {
    const slow = await Promise.all(Array.from({ length: 40 }, open));
    for (const socket of slow) socket.resume().write('GET /metrics HTTP/1.1\r\nHost: x\r\n');
    await allClosed(slow);
    const before = hungUp;
    const deaf = await open();
    deaf.pause().write('GET /metrics?long HTTP/1.1\r\nHost: x\r\n\r\n');
    await until('the server gives up', () => hungUp > before, 20_000);
    let bytes = 0;
    deaf.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await allClosed([deaf]);
    expect(bytes).toBeLessThan(LONG_ANSWER.length);
  });

  it('has no more than 128 connections, and serves again when they are gone', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, open));
    for (const socket of sockets) socket.resume();
    await until(
      'those too many are closed',
      () => sockets.filter(({ closed }) => closed).length >= 172,
    );
    expect(sockets.filter(({ closed }) => !closed).length).toBe(128);
    for (const socket of sockets) socket.destroy();
    await until('it answers', async () =>
      fetch(urlOf('/metrics')).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });

  it('says why it cannot listen', async () => {
    const second = await startScrapeServer({ host: '127.0.0.1', port }, () => undefined)();
    expect(second).toMatchObject({ left: 'EADDRINUSE' });
  });
});
