// SPDX-License-Identifier: Apache-2.0
/** Real unix sockets: the server, the client, and raw connections for what no client of ours sends. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createServer, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReportSource } from '../../../receiver/model/report-source.js';
import type { AgentReport } from '../../../receiver/model/agent-report.js';
import { complaintText } from '../../../receiver/model/errors.js';
import { joinAgent } from '../../../receiver/socket/client.js';
import type { ViewedAgent } from '../../../receiver/socket/port.js';
import { serveReports, type ReportServer } from '../../../receiver/socket/server.js';
import { agentReport, laterReport, processRow } from '../../support/agent-report.js';
import { fakeAgent, fakePeers } from '../../support/fake-agent.js';
import { until } from '../../support/until.js';

let directory: string;
let path: string;
let cleanUps: (() => unknown)[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-socket-'));
  path = join(directory, 'run', 'agent.sock');
  cleanUps = [];
});
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
  rmSync(directory, { recursive: true });
});

const rightOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const serve = async (agent: ViewedAgent): Promise<ReportServer> => {
  const server = rightOf(await serveReports(path, agent, fakePeers())());
  cleanUps.push(async () => server.close('test over'));
  return server;
};

const joined = async (): Promise<ReportSource> => {
  const source = rightOf(await joinAgent({ path, timeoutMillis: 5000 })());
  cleanUps.push(async () => source.close());
  return source;
};

const joinError = async () => {
  const result = await joinAgent({ path, timeoutMillis: 300 })();
  if (E.isRight(result)) throw new Error('joined');
  return { tag: result.left._tag, text: complaintText(result.left.complaint) };
};

/** A connection without our client: lines out, parsed lines in. */
const raw = async (): Promise<{ socket: Socket; lines: () => readonly unknown[] }> => {
  const socket = connect(path);
  cleanUps.push(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  const lines = (): readonly unknown[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  await until('the greeting', () => lines().length > 0);
  return { socket, lines };
};

const indexOf = (report: AgentReport | undefined): string | undefined => report?.window.index;

describe('serveReports', () => {
  it('makes a socket that only its owner may connect to, and removes it at the end', async () => {
    const server = await serve(fakeAgent());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'run')).mode & 0o777).toBe(0o755);
    expect(readFileSync('/proc/self/status', 'utf8')).not.toMatch(/^Umask:\s*0177$/m);
    await server.close('over');
    await server.close('over');
    expect(existsSync(path)).toBe(false);
  });

  it('replaces the socket of a dead agent', async () => {
    await (await serve(fakeAgent())).close('makes the directory');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    const child = spawn(process.execPath, ['-e', script]);
    await new Promise((resolve) => child.once('exit', resolve));
    expect(existsSync(path)).toBe(true);
    expect((await joinError()).tag).toBe('NoAgent');
    await serve(fakeAgent(agentReport()));
    expect(indexOf((await joined()).latest())).toBe('99');
  });

  it('leaves the socket of a live agent alone and names its pid', async () => {
    await serve(fakeAgent(agentReport()));
    const second = await serveReports(path, fakeAgent(), fakePeers())();
    expect(second).toMatchObject({
      left: { cause: `an agent (pid ${process.pid}) already serves there` },
    });
    expect(indexOf((await joined()).latest())).toBe('99');
  });

  it('leaves a file that is no socket alone', async () => {
    path = join(directory, 'file');
    writeFileSync(path, 'mine');
    expect(await serveReports(path, fakeAgent(), fakePeers())()).toMatchObject({
      left: { cause: 'a file that is no socket' },
    });
    expect(existsSync(path)).toBe(true);
  });

  it('refuses a path that the kernel would cut', async () => {
    expect(await serveReports(`/tmp/${'x'.repeat(110)}`, fakeAgent(), fakePeers())()).toMatchObject(
      {
        left: { cause: expect.stringContaining('107 bytes') },
      },
    );
  });
});

describe('joinAgent', () => {
  it('gives the same window to every viewer', async () => {
    const agent = fakeAgent(agentReport());
    await serve(agent);
    const [one, two] = [await joined(), await joined()];
    expect(one.latest()).toEqual(agentReport());
    expect(two.latest()).toEqual(one.latest());
    expect(one.origin).toMatchObject({ _tag: 'Joined', agentPid: process.pid });
  });

  it('joins an agent that has no window yet', async () => {
    const agent = fakeAgent();
    await serve(agent);
    const source = await joined();
    expect(source.latest()).toBeUndefined();
    const seen: string[] = [];
    source.subscribe((report) => seen.push(report.window.index));
    await until('the subscription', () => agent.subscriberCount() === 1);
    agent.publish(agentReport());
    await until('the window', () => seen.length === 1);
    expect(indexOf(source.latest())).toBe('99');
  });

  it('keeps the agent subscribed exactly while a viewer is', async () => {
    const agent = fakeAgent(agentReport());
    await serve(agent);
    const [one, two] = [await joined(), await joined()];
    expect(agent.subscriberCount()).toBe(0);
    const stop = one.subscribe(() => undefined);
    two.subscribe(() => undefined);
    await until('one subscription for both', () => agent.subscriberCount() === 1);
    stop();
    await two.close();
    await until('no subscription', () => agent.subscriberCount() === 0);
  });

  it('brings threads only to the viewer that asked, and releases them', async () => {
    const agent = fakeAgent(agentReport());
    await serve(agent);
    const [plain, curious] = [await joined(), await joined()];
    const seen: Record<'plain' | 'curious', number[]> = { plain: [], curious: [] };
    plain.subscribe((report) => seen.plain.push(report.threads.length));
    curious.setOptions({ threadsOf: 812 });
    curious.subscribe((report) => seen.curious.push(report.threads.length));
    await until('the watch', () => agent.watchedThreads().length === 1);
    const { packageWatts, dramWatts, packageJoules, dramJoules, cpuRatio, cpuSeconds } = processRow(
      1,
      '',
      1,
    );
    const energy = { packageWatts, dramWatts, packageJoules, dramJoules, cpuRatio, cpuSeconds };
    const threads = [
      { ...energy, tid: 812, pid: 812, name: 'a' },
      { ...energy, tid: 5, pid: 5, name: 'b' },
    ];
    await until('both subscriptions', () => {
      agent.publish(agentReport({ threads }));
      return seen.plain.length > 0 && seen.curious.length > 0;
    });
    expect([seen.plain[0], seen.curious[0]]).toEqual([0, 1]);
    curious.setOptions({ threadsOf: undefined });
    await until('the release', () => agent.watchedThreads().length === 0);
  });

  it('says in one line that the agent died', async () => {
    path = join(directory, 'mortal');
    let connection: Socket | undefined;
    const server = createServer((socket) => {
      connection = socket.on('error', () => undefined);
      socket.write('{"type":"hello","protocol":1,"agent":{"pid":7,"version":"1"}}\n');
      const empty = '{"type":"report","id":"last","skippedWindows":0,"report":null}\n';
      socket.once('data', () => socket.write(empty));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    cleanUps.push(() => server.close());
    const source = await joined();
    const reasons: string[] = [];
    source.onEnd((reason) => reasons.push(complaintText(reason)));
    connection?.destroy();
    await until('the end', () => reasons.length > 0);
    expect(reasons).toEqual(['follow agent 7: it ended without a word; see its log']);
    source.onEnd((reason) => reasons.push(complaintText(reason)));
    await until('also for who asks late', () => reasons.length === 2);
  });

  it('says in one line that the agent stopped', async () => {
    const server = await serve(fakeAgent(agentReport()));
    const reasons: string[] = [];
    (await joined()).onEnd((reason) => reasons.push(complaintText(reason)));
    await server.close('it was told to stop');
    await until('the end', () => reasons.length > 0);
    expect(reasons).toEqual([
      `follow agent ${process.pid}: it was told to stop; start it again with wattfeed run`,
    ]);
  });

  it('says nothing when the viewer itself hangs up', async () => {
    await serve(fakeAgent(agentReport()));
    const source = await joined();
    const reasons: unknown[] = [];
    source.onEnd((reason) => reasons.push(reason));
    await source.close();
    await source.close();
    expect(reasons).toEqual([]);
  });

  it('distinguishes no agent from one that cannot be joined', async () => {
    expect(await joinError()).toEqual({
      tag: 'NoAgent',
      text: `join ${path}: no agent listens there; start one with wattfeed run`,
    });
    path = join(directory, 'file');
    writeFileSync(path, '');
    expect((await joinError()).tag).toBe('CannotJoin');
  });

  it.each([
    ['{"type":"hello","protocol":2,"agent":{"pid":7,"version":"9.0.0"}}\n', 'speaks protocol 2'],
    ['HTTP/1.1 400 Bad Request\r\n\r\n', 'does not greet'],
    ['', 'does not greet'],
    ['{"type":"hello","protocol":1,"agent":{"pid":7,"version":"1"}}\n', 'does not answer'],
  ])('refuses a stranger that says %j', async (greeting, cause) => {
    path = join(directory, 'stranger');
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket.on('error', () => undefined));
      socket.write(greeting);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    cleanUps.push(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    const { tag, text } = await joinError();
    expect(tag).toBe('CannotJoin');
    expect(text).toContain(cause);
  });

  it('passes over messages and fields of a newer agent, and refuses a broken report', async () => {
    path = join(directory, 'newer');
    const report = { ...agentReport(), added: 1 };
    const message = (body: unknown) =>
      JSON.stringify({ type: 'report', id: 'last', skippedWindows: 0, report: body });
    let connection: Socket | undefined;
    const server = createServer((socket) => {
      connection = socket.on('error', () => undefined);
      socket.write('{"type":"hello","protocol":1,"agent":{"pid":7,"version":"1.2"}}\n');
      socket.once('data', () => socket.write(`{"type":"news","x":1}\n${message(report)}\n`));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    cleanUps.push(() => server.close());
    const source = await joined();
    expect(source.latest()).toEqual(report);
    const reasons: string[] = [];
    source.onEnd((reason) => reasons.push(reason.cause));
    connection?.write(`${message({ ...report, host: { cpuCount: 'many' } })}\n`);
    await until('the end', () => reasons.length > 0);
    expect(reasons[0]).toContain('report.host.cpuCount');
  });

  it('does not trust a socket of another user', async () => {
    await serve(fakeAgent(agentReport()));
    const owner = statSync(path).uid;
    const result = await joinAgent({ path, timeoutMillis: 300, trustedUids: [owner + 1] })();
    expect(result).toMatchObject({
      left: { _tag: 'CannotJoin', complaint: { cause: `it belongs to uid ${owner}` } },
    });
  });
});

describe('the protocol', () => {
  it('greets with its version and answers last, detail and subscribe by id', async () => {
    const agent = fakeAgent(agentReport());
    await serve(agent);
    const { socket, lines } = await raw();
    expect(lines()[0]).toEqual({
      type: 'hello',
      protocol: 1,
      agent: { pid: process.pid, version: '0.1.0' },
    });
    socket.write('{"id":1,"request":"last"}\n{"id":2,"request":"detail","pid":901}\n');
    socket.write('{"id":3,"request":"detail","cgroup":"/user.slice/"}\n');
    socket.write('{"id":"s","request":"subscribe"}\n');
    await until('four answers', () => lines().length === 5);
    agent.publish(laterReport(agentReport(), 1));
    await until('the window', () => lines().length === 6);
    expect(lines().slice(1)).toMatchObject([
      { type: 'report', id: 1, skippedWindows: 0, report: { window: { index: '99' } } },
      {
        type: 'detail',
        id: 2,
        detail: {
          processes: [{ pid: 901 }],
          cgroups: [{ path: '/user.slice/user-1000.slice' }],
        },
      },
      { type: 'detail', id: 3, detail: { processes: [{ pid: 900 }, { pid: 901 }, { pid: 902 }] } },
      { type: 'done', id: 's' },
      { type: 'report', id: 's', report: { window: { index: '100' } } },
    ]);
  });

  it.each([
    ['{"id":9,"request":"fly"}', 9, 'bad-request'],
    ['{"id":9,"request":"subscribe","threadsOf":"x"}', 9, 'bad-request'],
    ['{"request":"detail"}', null, 'bad-request'],
    ['{"id":1,"request":"detail","pid":1,"cgroup":"/"}', 1, 'bad-request'],
    ['{"id":1,"request":"detail","pid":77777}', 1, 'not-found'],
    ['{}', null, 'bad-request'],
  ])('answers %s with an error and stays', async (line, id, code) => {
    await serve(fakeAgent(agentReport()));
    const { socket, lines } = await raw();
    socket.write(`${line}\n{"id":"after","request":"last"}\n`);
    await until('both answers', () => lines().length === 3);
    expect(lines().slice(1)).toMatchObject([
      { type: 'error', id, error: { code } },
      { type: 'report', id: 'after' },
    ]);
  });

  it.each([
    ['text', 'not json\n', 'garbage'],
    ['a list', '[1]\n', 'garbage'],
    ['null', 'null\n', 'garbage'],
    ['a line without end', 'x'.repeat(70_000), 'oversized'],
    ['a long line', `{"request":"${'x'.repeat(70_000)}"}\n`, 'oversized'],
  ])('answers %s with an error and hangs up', async (_what, text, code) => {
    const agent = fakeAgent(agentReport());
    const server = await serve(agent);
    const { socket, lines } = await raw();
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.write(text);
    await until('the end', () => isClosed);
    expect(lines().at(-1)).toMatchObject({ type: 'error', error: { code } });
    await until('the viewer is forgotten', () => server.viewerCount() === 0);
    expect(indexOf((await joined()).latest())).toBe('99');
  });

  it('answers failed when the agent cannot say, and stays', async () => {
    await serve({ ...fakeAgent(), last: async () => Promise.reject(new Error('no window')) });
    const { socket, lines } = await raw();
    socket.write('{"id":1,"request":"last"}\n{"id":2,"request":"unsubscribe"}\n');
    await until('both answers', () => lines().length === 3);
    expect(lines().slice(1)).toMatchObject([
      { type: 'error', id: 1, error: { code: 'failed', message: 'no window' } },
      { type: 'done', id: 2 },
    ]);
  });
});

describe('a slow viewer', () => {
  const many = Array.from({ length: 4000 }, (_, at) => processRow(at + 1, `process-${at}`, 1));
  const large = agentReport({ processes: many });

  it('blocks neither agent nor others, and learns how many windows it missed', async () => {
    const agent = fakeAgent(large);
    await serve(agent);
    const { socket, lines } = await raw();
    const quick = await joined();
    let quickWindows = 0;
    let quickSkipped = 0;
    quick.subscribe((_report, skipped) => {
      quickWindows++;
      quickSkipped += skipped;
    });
    socket.write('{"request":"subscribe"}\n');
    await until('the subscription', () => lines().length === 2);
    socket.pause();
    const windows = 60;
    for (let at = 1; at <= windows; at++) {
      agent.publish(laterReport(large, at));
      await until('the quick viewer', () => quickWindows + quickSkipped >= at);
    }
    socket.resume();
    let published = windows;
    await until('the viewer has caught up', () => {
      agent.publish(laterReport(large, ++published));
      return skippedOf(lines()) > 0;
    });
    // Kept for the one that did not read: the window in flight, and no other of the sixty.
    expect(skippedOf(lines())).toBeGreaterThanOrEqual(windows - 2);
  });

  it('cannot make the agent buffer answers without bound', async () => {
    let asked = 0;
    await serve({
      ...fakeAgent(),
      last: async () => {
        asked++;
        return Promise.resolve(large);
      },
    });
    const { socket, lines } = await raw();
    socket.pause();
    socket.write('{"request":"last"}\n'.repeat(2000));
    await until('the first answers', () => asked > 0);
    expect(indexOf((await joined()).latest())).toBe('99');
    expect(asked).toBeLessThan(20);
    socket.resume();
    await until('some more answers', () => lines().length > 20, 30_000);
    socket.destroy();
  });
});

const skippedOf = (lines: readonly unknown[]): number =>
  lines.reduce<number>(
    (sum, line) =>
      typeof line === 'object' &&
      line !== null &&
      'skippedWindows' in line &&
      typeof line.skippedWindows === 'number'
        ? sum + line.skippedWindows
        : sum,
    0,
  );
