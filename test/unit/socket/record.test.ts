// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Complaint } from '../../../receiver/model/errors.js';
import type { TraceItem, TraceSink } from '../../../receiver/model/trace-sink.js';
import { joinAgent } from '../../../receiver/socket/client.js';
import { serveReports, type ReportServer } from '../../../receiver/socket/server.js';
import { rightOf } from '../../support/either.js';
import { fakeAgent, fakePeers } from '../../support/fake-agent.js';
import { until } from '../../support/until.js';

const item = (json: { readonly type: string; readonly [field: string]: unknown }): TraceItem => ({
  type: json.type,
  json: JSON.stringify(json),
  endNanos: undefined,
});

/** Hands a header over at once, as the agent does, and takes one recorder. */
const recordingAgent = () => {
  const sinks = new Set<TraceSink>();
  return {
    ...fakeAgent(),
    sinks,
    record: (sink: TraceSink) => {
      if (sinks.size > 0) return undefined;
      sinks.add(sink);
      sink.take(item({ type: 'header' }));
      return () => void sinks.delete(sink);
    },
  };
};

const collector = () => {
  const items: TraceItem[] = [];
  return { items, canTake: () => true, take: (one: TraceItem) => void items.push(one) };
};

describe('the request record', () => {
  let directory = '';
  let server: ReportServer;
  const agent = recordingAgent();
  const path = (): string => join(directory, 'agent.sock');
  const joined = async () => rightOf(await joinAgent({ path: path(), timeoutMillis: 5000 })());

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'wattfeed-record-'));
    server = rightOf(await serveReports(path(), agent, fakePeers())());
  });
  afterAll(async () => {
    await server.close('the test is over');
    rmSync(directory, { recursive: true });
  });

  it('sends the records in order until the viewer leaves, and refuses one too many', async () => {
    const [first, second] = [await joined(), await joined()];
    const kept = collector();
    expect(first.record(kept)).toBeUndefined();
    await until('the header is there', () => kept.items.length === 1);
    for (const sink of agent.sinks) {
      expect(sink.canTake()).toBe(true);
      sink.take(item({ type: 'window', endNanos: '12345678901234567890', odd: { field: [1] } }));
    }
    await until('the window is there', () => kept.items.length === 2);
    expect(kept.items.map(({ type, endNanos }) => [type, endNanos])).toEqual([
      ['header', undefined],
      ['window', 12_345_678_901_234_567_890n],
    ]);
    expect(JSON.parse(kept.items[1]?.json ?? '')).toMatchObject({ odd: { field: [1] } });

    const reasons: Complaint[] = [];
    second.onEnd((reason) => void reasons.push(reason));
    second.record(collector());
    await until('the second is refused', () => reasons.length > 0);
    expect(reasons[0]?.cause).toContain('others record already');

    await first.close();
    await until('the agent is told', () => agent.sinks.size === 0);
    await second.close();
  });
});
