// SPDX-License-Identifier: Apache-2.0
/** Many series, long names, and the largest message a Collector takes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectorProcess } from '../../support/collector-process.js';
import { ExportingAgent } from '../../support/exporting-agent.js';
import { pointsOf } from '../../support/otlp-json.js';

/** Three series each (package, DRAM, CPU time): 12,600, more than fit into one message of 4 MiB. */
const PROCESSES = 4_200;
const LONG_PATH = `/${'kubepods-burstable-pod.slice/'.repeat(200)}`;
const ENVIRONMENT = { OTEL_METRIC_EXPORT_INTERVAL: '3600000', OTEL_METRIC_EXPORT_TIMEOUT: '60000' };

const agentWith = (endpoint: string, processes: number, maxSeries: number): ExportingAgent => {
  const agent = new ExportingAgent({ endpoint, environment: ENVIRONMENT, maxSeries });
  for (let pid = 1; pid <= processes; pid += 1) {
    const process = agent.ledger.begin(pid);
    process.identity = {
      ...process.identity,
      cgroupPath: `${LONG_PATH}${pid}`,
      name: `${LONG_PATH}${pid}`,
      user: LONG_PATH,
    };
    agent.ledger.burn(process, 1_000_000n + BigInt(pid));
  }
  agent.closeWindow();
  return agent;
};

describe('an agent with very many series', () => {
  let collector: CollectorProcess;
  beforeEach(async () => {
    collector = await CollectorProcess.start();
  });
  afterEach(() => collector.dispose());

  it('sends all of them in messages that the Collector takes', async () => {
    const agent = agentWith(collector.endpoint, PROCESSES, 2 * PROCESSES);
    await agent.running.flush();
    expect(agent.said).toEqual([]);
    expect(agent.running.counts.failures).toEqual(new Map());
    await agent.running.shutdown(1)();
    await collector.stop();
    // Its default limit is 4 MiB, and none of these could be less than the whole otherwise.
    const lines = collector.lines();
    expect(lines.length).toBeGreaterThan(3 * (PROCESSES / 1_000));
    const pids = new Set(
      pointsOf(lines)
        .filter(({ name }) => name === 'wattfeed.process.energy')
        .map(({ attributes }) => attributes['process.pid']),
    );
    expect(pids.size).toBe(PROCESSES);
  });

  it('keeps within its cap, with everything else in one series', async () => {
    const agent = agentWith(collector.endpoint, PROCESSES, 1_000);
    await agent.running.flush();
    await agent.running.shutdown(1)();
    await collector.stop();
    const energy = pointsOf(collector.lines()).filter(
      ({ name, attributes }) =>
        name === 'wattfeed.process.energy' && attributes['wattfeed.domain'] === 'package',
    );
    expect(energy).toHaveLength(1_001);
    const sum = energy.reduce((total, { value }) => total + BigInt(Math.round(value * 1e6)), 0n);
    expect(sum).toBe(agent.ledger.total().package);
    const overflow = energy.filter(({ attributes }) => attributes['otel.metric.overflow'] === true);
    expect(overflow).toHaveLength(1);
    // The biggest have their own.
    const least = Math.min(
      ...energy.map(({ attributes }) =>
        Number(attributes['process.pid'] ?? Number.POSITIVE_INFINITY),
      ),
    );
    expect(least).toBe(PROCESSES - 999);
  });
});

/** Of 1 MiB, the least that can be set: 500 points with names as long as they may be have more. */
describe('an agent whose Collector takes smaller messages than it sends', () => {
  it('counts the refusal, says so once, and cuts its messages until they fit', async () => {
    const collector = await CollectorProcess.start(1);
    try {
      const agent = agentWith(collector.endpoint, 1_500, 2_000);
      for (let round = 0; round < 3; round += 1) {
        await agent.running.flush();
        agent.closeWindow();
      }
      const { counts } = agent.running;
      expect([...counts.failures.keys()]).toEqual(['resource_exhausted']);
      expect(counts.dropped).toBe(0n);
      expect(agent.said).toEqual([expect.stringContaining('points at a time from now on')]);
      await agent.running.shutdown(5_000)();
      await collector.stop();
      const points = pointsOf(collector.lines());
      const pids = new Set(points.map(({ attributes }) => attributes['process.pid']));
      expect(pids.size).toBe(1_500 + 1);
      const told = points.findLast(({ name }) => name === 'wattfeed.export.failures');
      expect(told?.attributes).toEqual({ 'wattfeed.reason': 'resource_exhausted' });
    } finally {
      await collector.dispose();
    }
  });
});
