// SPDX-License-Identifier: Apache-2.0
/** `wattfeed explain` of a process that burns, asked of a running agent. */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { explanationSchema } from '../../../receiver/socket/explanation-schema.js';
import {
  agentPlace,
  startAgent,
  stopAgent,
  wattfeed,
  type AgentProcess,
  type CommandResult,
} from '../../support/agent-process.js';

const place = agentPlace();
let agent: AgentProcess;
let burner: ChildProcess;

beforeAll(async () => {
  burner = spawn(process.execPath, ['-e', 'for (;;) Math.sqrt(Math.random());'], {
    stdio: 'ignore',
  });
  agent = await startAgent(place, { flags: ['--export-enabled=false'] });
}, 60_000);

afterAll(async () => {
  burner.kill('SIGKILL');
  await stopAgent(agent);
  place.remove();
}, 30_000);

const explain = (...args: readonly string[]): CommandResult =>
  wattfeed(['explain', ...args, `--agent-socket-path=${place.socketPath}`]);

describe('wattfeed explain', { timeout: 80_000 }, () => {
  it('shows a share that gives the microjoules it says', () => {
    const explanation = explanationSchema.parse(
      JSON.parse(explain(String(burner.pid), '--json').stdout),
    );
    expect(explanation.entity).toMatchObject({ kind: 'process', pid: burner.pid });
    expect(explanation.features.cpuSeconds).toBeGreaterThan(0);
    expect(explanation.domains.length).toBeGreaterThan(0);
    for (const { pools, ownMicrojoules, terms } of explanation.domains) {
      const shared = pools.reduce(
        (sum, { microjoules, share }) => sum + Number(microjoules) * share,
        0,
      );
      // One row of the burner's threads is off by less than a microjoule.
      expect(Math.abs(shared - Number(ownMicrojoules))).toBeLessThan(
        1 + explanation.features.rows * pools.length,
      );
      const [pool] = pools;
      if (pools.length !== 1 || terms.length === 0 || pool === undefined) continue;
      const predicted = terms.reduce((sum, { joules }) => sum + joules, 0) * 1e9;
      expect(predicted / pool.ownWeight).toBeCloseTo(1, 6);
    }
  });

  it('tells a person the same, and fails for a process that never was', () => {
    const text = explain(String(burner.pid)).stdout;
    expect(text).toContain(`process ${String(burner.pid)}`);
    expect(text).toContain('charged, rounded to the microjoule');
    const unknown = explain('4194303');
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain('no such entity was charged');
  });
});
