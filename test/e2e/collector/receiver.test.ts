// SPDX-License-Identifier: Apache-2.0
/** The built agent as a receiver of the built Collector. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { AgentIntoCollector } from '../../support/agent-into-collector.js';
import type { CollectorSettings } from '../../support/shipped-collector.js';

describe('wattfeedreceiver and the agent', () => {
  const run = new AgentIntoCollector();
  afterEach(() => run.stop());
  afterAll(() => {
    run.dispose();
  });

  const settings = (socket: string): CollectorSettings => ({
    configs: ['file.yaml', 'fragments/wattfeed.yaml'],
    env: { WATTFEED_FILE: run.file, WATTFEED_OTLP_SOCKET: socket },
    set: [
      `receivers::wattfeed::command=${run.agentCommand}`,
      `receivers::wattfeed::agent_socket=${run.place.socketPath}`,
      'receivers::wattfeed::collection_interval=1s',
    ],
  });

  it('starts the agent, hands on what it sends, and ends it', async () => {
    const socket = join(run.directory, 'own.sock');
    const { log } = await run.startCollector(settings(socket));
    await run.untilWindows(2);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const pid = Number(/"pid": (\d+)/.exec(log())?.[1]);
    expect(existsSync(`/proc/${String(pid)}`)).toBe(true);
    await run.stopCollector();
    expect(existsSync(`/proc/${String(pid)}`)).toBe(false);
    expect(log()).toContain('agent: wattfeed: info: measuring');
    // One resource, one scope, the names and units of the agent: nothing of the receiver's own.
    const points = run.received();
    expect(new Set(points.map(({ scope }) => scope))).toEqual(new Set(['wattfeed']));
    expect(points.find(({ name }) => name === 'hw.energy')).toMatchObject({
      unit: 'J',
      kind: 'counter',
    });
  });

  it('joins an agent that runs, and starts none beside it', async () => {
    const socket = join(run.directory, 'joined.sock');
    await run.startAgent(`unix://${socket}`);
    const { log } = await run.startCollector(settings(socket));
    await run.untilWindows(2);
    expect(log()).toContain('joins the agent that runs on this host');
    expect(log()).not.toContain('started the agent');
  });
});
