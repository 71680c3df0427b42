// SPDX-License-Identifier: Apache-2.0
/** Viewers that close their sending half after asking, as `echo … | socat` does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../receiver/model/agent-report.js';
import type { ViewedAgent } from '../../../receiver/socket/port.js';
import { serveReports, type ReportServer } from '../../../receiver/socket/server.js';
import { agentReport } from '../../support/agent-report.js';
import { fakeAgent, fakePeers } from '../../support/fake-agent.js';
import { until } from '../../support/until.js';

let directory: string;
let path: string;
let server: ReportServer | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-socket-'));
  path = join(directory, 'agent.sock');
});
afterEach(async () => {
  await server?.close('test over');
  rmSync(directory, { recursive: true });
});

const serve = async (agent: ViewedAgent): Promise<ReportServer> => {
  const served = await serveReports(path, agent, fakePeers())();
  if (E.isLeft(served)) throw new Error(JSON.stringify(served.left));
  server = served.right;
  return served.right;
};

/** Sends, closes the sending half, and gives all that comes until the agent hangs up. */
const askAndClose = (requests: string): Promise<readonly unknown[]> => {
  const socket = connect({ path, allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.end(requests);
  return new Promise((resolve) => {
    socket.once('end', () => {
      resolve(
        text
          .trimEnd()
          .split('\n')
          .map((line): unknown => JSON.parse(line)),
      );
    });
  });
};

/** Each turn of the loop looks at the sockets: the closing arrives in one of the first. */
const TURNS_UNTIL_CLOSED = 50;
const loopTurns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

describe('serveReports to a half-closed viewer', () => {
  it('answers all it has asked, and hangs up', async () => {
    let giveReport: (report: AgentReport) => void = () => undefined;
    const asked = new Promise<AgentReport>((resolve) => {
      giveReport = resolve;
    });
    let isAsked = false;
    const last = async (): Promise<AgentReport> => {
      isAsked = true;
      return asked;
    };
    const { viewerCount } = await serve({ ...fakeAgent(), last });
    const answered = askAndClose('{"request":"last","id":1}\n{"request":"detail","id":2}\n');
    await until('it is asked', () => isAsked);
    await loopTurns(TURNS_UNTIL_CLOSED);
    giveReport(agentReport());
    expect(await answered).toMatchObject([
      { type: 'hello' },
      { type: 'report', id: 1 },
      { type: 'error', id: 2 },
    ]);
    await until('the agent has hung up', () => viewerCount() === 0);
  });

  it('ends its subscription: a viewer that was killed looks the same', async () => {
    const { viewerCount } = await serve(fakeAgent());
    expect(await askAndClose('{"request":"subscribe","id":1}\n')).toMatchObject([
      { type: 'hello' },
      { type: 'done', id: 1 },
    ]);
    await until('the agent has hung up', () => viewerCount() === 0);
  });

  it('hangs up on one that asks nothing', async () => {
    await serve(fakeAgent());
    expect(await askAndClose('')).toMatchObject([{ type: 'hello' }]);
  });
});
