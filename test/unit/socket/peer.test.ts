// SPDX-License-Identifier: Apache-2.0
/** Who is served, by what the kernel says of the connection. test/native asks the real kernel. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { complaintText } from '../../../receiver/model/errors.js';
import { joinAgent } from '../../../receiver/socket/client.js';
import { admitPeer } from '../../../receiver/socket/peer.js';
import { MAX_VIEWERS, serveReports, type ReportServer } from '../../../receiver/socket/server.js';
import { agentReport } from '../../support/agent-report.js';
import { fakeAgent, fakePeers } from '../../support/fake-agent.js';
import { until } from '../../support/until.js';

let directory: string;
let path: string;
let server: ReportServer | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-peer-'));
  path = join(directory, 'agent.sock');
});
afterEach(async () => {
  await server?.close('test over');
  rmSync(directory, { recursive: true });
});

/** What a viewer meets: `served`, or why it was not. */
const viewing = async (peers: ReturnType<typeof fakePeers>): Promise<string> => {
  const served = await serveReports(path, fakeAgent(agentReport()), peers)();
  if (E.isLeft(served)) throw new Error(complaintText(served.left));
  server = served.right;
  const result = await joinAgent({ path, timeoutMillis: 5_000 })();
  if (E.isLeft(result)) return `${result.left._tag} ${complaintText(result.left.complaint)}`;
  await result.right.close();
  return 'served';
};

describe('serveReports', () => {
  it.each([
    ['another user', E.right({ pid: 7, uid: 4_294_967_294, gid: 0 }), 'not uid 4294967294'],
    ['who is unknown', E.left({ code: 'ENOTCONN' }), 'cannot be known'],
  ])('refuses %s before the greeting, and the viewer says so', async (_, said, message) => {
    const peers = fakePeers(said);
    expect(await viewing(peers)).toMatch(new RegExp(`^CannotJoin .*not allowed.*${message}`));
    expect(peers.refusals).toHaveLength(1);
    expect(server?.viewerCount()).toBe(0);
  });

  it.each([
    ['root', 0],
    ["the agent's own user", process.geteuid?.() ?? 0],
  ])('serves %s, whatever its group', async (_, uid) => {
    const peers = fakePeers(E.right({ pid: 1, uid, gid: 65_534 }));
    expect(await viewing(peers)).toBe('served');
    expect(peers.refusals).toEqual([]);
  });
});

describe('serveReports with as many viewers as it serves', () => {
  it('tells the next one why, and serves again once one has gone', async () => {
    const peers = fakePeers();
    const served = await serveReports(path, fakeAgent(agentReport()), peers)();
    if (E.isLeft(served)) throw new Error(complaintText(served.left));
    server = served.right;
    const { viewerCount } = served.right;
    const join = joinAgent({ path, timeoutMillis: 20_000 });
    const viewers = [];
    for (let at = 0; at < MAX_VIEWERS; at += 1) viewers.push(await join());
    expect(viewers.every(E.isRight)).toBe(true);
    expect(await join()).toMatchObject({
      left: {
        _tag: 'CannotJoin',
        complaint: { cause: '64 viewers are connected, and no more are served' },
      },
    });
    expect(peers.refusals).toEqual(['undefined: as many viewers as are served']);
    expect(viewerCount()).toBe(MAX_VIEWERS);
    const [first] = viewers;
    if (first !== undefined && E.isRight(first)) await first.right.close();
    await until('the agent to see that', () => viewerCount() < MAX_VIEWERS);
    expect(E.isRight(await join())).toBe(true);
  });
});

describe('admitPeer', () => {
  it('refuses a connection whose descriptor Node does not show', () => {
    const peers = fakePeers();
    expect(admitPeer(new Socket(), peers)).toBe(false);
    expect(peers.refusals).toEqual(['undefined: no descriptor']);
  });
});
