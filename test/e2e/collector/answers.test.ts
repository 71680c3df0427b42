// SPDX-License-Identifier: Apache-2.0
/** Answers that the test Collector never gives, from a gRPC server that does; and what is sent to it. */
import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ExportingAgent } from '../../support/exporting-agent.js';
import { GrpcSink } from '../../support/grpc-sink.js';

const ENVIRONMENT = {
  OTEL_METRIC_EXPORT_INTERVAL: '3600000',
  OTEL_METRIC_EXPORT_TIMEOUT: '60000',
};
/** What a Collector accepts by default. */
const FOUR_MIB = 4 * 1_024 * 1_024;

describe('an agent and a collector of another kind', () => {
  let sink: GrpcSink;
  beforeEach(async () => {
    sink = await new GrpcSink().start();
  });
  afterEach(() => {
    sink.stop();
    vi.unstubAllEnvs();
  });

  const agentTo = (endpoint: string): ExportingAgent => {
    const agent = new ExportingAgent({ endpoint, environment: ENVIRONMENT });
    agent.ledger.burn(agent.ledger.begin(1), 1_000_000n);
    agent.closeWindow();
    return agent;
  };

  it('counts the points that a partial success rejects', async () => {
    sink.answer = { code: status.OK, rejectedPoints: 5 };
    const agent = agentTo(sink.endpoint);
    await agent.running.flush();
    await agent.running.flush();
    expect(agent.running.counts.rejected).toBe(10n);
    await agent.running.shutdown(1_000)();
    expect(agent.said).toEqual([expect.stringContaining('Partial Success')]);
  });

  it('says once that it is not let in, without what was said about the credentials', async () => {
    sink.answer = { code: status.UNAUTHENTICATED, details: 'token hunter2 is no good' };
    const agent = agentTo(sink.endpoint);
    for (let round = 0; round < 3; round += 1) await agent.running.flush();
    await agent.running.shutdown(1_000)();
    expect(agent.said).toEqual([expect.stringContaining('refused (unauthenticated)')]);
    expect(agent.said.join()).not.toContain('hunter2');
  });

  it('sends to the endpoint and with the headers of the environment', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', sink.endpoint);
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=blue%20team');
    const agent = new ExportingAgent({
      endpoint: 'http://127.0.0.1:1',
      environment: { ...ENVIRONMENT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: sink.endpoint },
    });
    agent.closeWindow();
    await agent.running.flush();
    await agent.running.shutdown(1_000)();
    expect(agent.said).toEqual([]);
    expect(sink.metadata[0]?.get('x-tenant')).toEqual(['blue team']);
  });

  it('keeps each message below 4 MiB whatever the names are', async () => {
    const agent = new ExportingAgent({
      endpoint: sink.endpoint,
      environment: ENVIRONMENT,
      maxSeries: 10_000,
    });
    for (let pid = 1; pid <= 3_000; pid += 1) {
      const process = agent.ledger.begin(pid);
      // Three bytes a character in UTF-8, and longer than any path may be.
      const longest = `/${'€'.repeat(5_000)}${pid}`;
      process.identity = { ...process.identity, cgroupPath: longest, name: longest };
      agent.ledger.burn(process, 1_000_000n);
    }
    agent.closeWindow();
    await agent.running.flush();
    expect(agent.running.counts.dropped).toBe(0n);
    expect(sink.requestBytes.length).toBeGreaterThanOrEqual(9);
    expect(Math.max(...sink.requestBytes)).toBeGreaterThan(3_000_000);
    expect(Math.max(...sink.requestBytes)).toBeLessThan(FOUR_MIB);
    await agent.running.shutdown(5_000)();
  });
});
