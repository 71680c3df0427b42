// SPDX-License-Identifier: Apache-2.0
/** `wattfeed feed` by its command line: looking, inventing values, and whom it refuses. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentPlace,
  MAIN,
  startAgent,
  stopAgent,
  wattfeed,
  type AgentPlace,
  type CommandResult,
} from '../../support/agent-process.js';
import { makePins } from '../../support/feed/pins.js';
import { until } from '../../support/until.js';

const pins = makePins('e2e');
const PINS = ['--agent-pin-directory', pins.parent];

const document = z.object({
  status: z.string(),
  isWithdrawn: z.boolean(),
  source: z.string().nullable(),
  cgroups: z.array(z.object({ id: z.string(), watts: z.number(), budgetWatts: z.number() })),
  tasks: z.array(z.object({ pid: z.number(), runWatts: z.number() })).optional(),
});
const look = (...flags: readonly string[]): z.infer<typeof document> =>
  document.parse(JSON.parse(wattfeed(['feed', '--json', ...flags, ...PINS]).stdout));
const plain = (): CommandResult => wattfeed(['feed', ...PINS]);

let place: AgentPlace;
const started: ChildProcess[] = [];
beforeAll(() => {
  place = agentPlace();
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
});
afterAll(() => {
  pins.remove();
  place.remove();
});

/** Invents values until it is ended. */
const invent = (...lines: readonly string[]): ChildProcess => {
  const sets = lines.flatMap((line) => ['--set', line]);
  const child = spawn(process.execPath, [MAIN, 'feed', ...sets, ...PINS], { stdio: 'ignore' });
  started.push(child);
  return child;
};

describe('wattfeed feed', () => {
  it('says that nobody has published, and ends with 1', () => {
    expect(look().status).toBe('missing');
    expect(plain().code).toBe(1);
  });

  it('publishes invented values as a scheduler reads them, labelled, and withdraws them', async () => {
    const author = invent(
      `pid:${String(process.pid)} power_mw=3000`,
      'cgroup:77 power_mw=500 budget_mw=400',
    );
    await until('the feed holds', () => plain().code === 0);
    const seen = look('--tasks');
    expect(seen).toMatchObject({ status: 'ok', source: 'simulated' });
    expect(seen.cgroups).toEqual([
      expect.objectContaining({ id: '77', watts: 0.5, budgetWatts: 0.4 }),
    ]);
    const own = (seen.tasks ?? []).filter(({ pid }) => pid === process.pid);
    expect(own.length).toBeGreaterThan(0);
    for (const task of own) expect(task.runWatts).toBeCloseTo(3, 3);
    const ended = once(author, 'exit');
    author.kill('SIGTERM');
    await ended;
    expect(look()).toMatchObject({ status: 'expired', isWithdrawn: true });
  });

  it('refuses a second publisher, whoever was first', async () => {
    invent('cgroup:77 power_mw=500');
    await until('the feed holds', () => plain().code === 0);
    const second = wattfeed(['feed', '--set', 'cgroup:78 power_mw=1', '--for', '1', ...PINS]);
    expect(second.code).not.toBe(0);
    expect(second.stderr).toContain(pins.parent);
  });

  it('shows a running agent’s feed, and leaves it alone', async () => {
    const flags = [...PINS, '--policy-feed', 'true', '--window-millis', '200'];
    const agent = await startAgent(place, { flags });
    await until('the feed holds', () => plain().code === 0, 20_000);
    expect(look().source).not.toBe('simulated');
    const refused = wattfeed(['feed', '--set', 'cgroup:78 power_mw=1', '--for', '1', ...PINS]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(String(agent.pid));
    await stopAgent(agent);
    expect(look().isWithdrawn).toBe(true);
  });
});
