// SPDX-License-Identifier: Apache-2.0
/** Every configuration that is shipped: valid for the real Collector, and fed by the real agent. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { AgentIntoCollector } from '../../support/agent-into-collector.js';
import { CONFIG_DIRECTORY, freePort } from '../../support/collector-process.js';
import { PrometheusProcess } from '../../support/prometheus-process.js';
import { validate } from '../../support/shipped-collector.js';
import { until, untilDefined } from '../../support/until.js';

const PIPELINES = readdirSync(CONFIG_DIRECTORY).filter(
  (name) => name.endsWith('.yaml') && !/^(builder-config|kustomization)/.test(name),
);
const FRAGMENTS = readdirSync(join(CONFIG_DIRECTORY, 'fragments'));
/** Everything that a configuration asks the environment for and that has no default. */
const NEEDED = { WATTFEED_TEST_PORT: '1', WATTFEED_TEST_FILE: '/tmp/x', KUBE_NODE_NAME: 'n' };

describe('the Collector', () => {
  const queue = mkdtempSync(join(tmpdir(), 'wattfeed-queue-'));
  afterAll(() => rmSync(queue, { recursive: true }));
  const env = { ...NEEDED, WATTFEED_QUEUE_DIRECTORY: queue };

  it.each(PIPELINES)('takes %s', (name) => {
    expect(validate({ configs: [name], env })).toBe('');
  });

  it.each(FRAGMENTS)('takes fragments/%s beside a pipeline', (name) => {
    expect(validate({ configs: ['debug.yaml', `fragments/${name}`] })).toBe('');
  });

  it('refuses a receiver of ours that is set up wrongly, with each mistake', () => {
    const said = validate({
      configs: ['debug.yaml', 'fragments/wattfeed.yaml'],
      set: [
        'receivers::wattfeed::socket=otlp.sock',
        'receivers::wattfeed::collection_interval=1ms',
      ],
    });
    expect(said).toContain('not an absolute path');
    expect(said).toContain("less than the agent's window");
  });
});

describe('the agent and the Collector as shipped', () => {
  const run = new AgentIntoCollector();
  afterEach(() => run.stop());
  afterAll(() => {
    run.dispose();
  });

  it('file.yaml writes it down, over the loopback fragment', async () => {
    const port = await freePort();
    await run.startCollector({
      configs: ['file.yaml', 'fragments/otlp-loopback.yaml'],
      env: { WATTFEED_FILE: run.file, WATTFEED_OTLP_PORT: String(port) },
    });
    await run.startAgent(`http://127.0.0.1:${String(port)}`);
    await run.untilWindows(2);
  });

  it('file.yaml writes it down, over the fragment with a unix socket', async () => {
    const socket = join(run.directory, 'otlp.sock');
    await run.startCollector({
      configs: ['file.yaml', 'fragments/otlp-unix-socket.yaml'],
      env: { WATTFEED_FILE: run.file, WATTFEED_OTLP_SOCKET: socket },
    });
    await run.startAgent(`unix://${socket}`);
    await run.untilWindows(2);
    expect(run.received()[0]?.resource).toMatchObject({ 'service.name': 'wattfeed' });
  });

  it('debug.yaml shows each point', async () => {
    const port = await freePort();
    const shown = await run.startCollector({
      configs: ['debug.yaml', 'fragments/otlp-loopback.yaml'],
      env: { WATTFEED_OTLP_PORT: String(port) },
    });
    await run.startAgent(`http://127.0.0.1:${String(port)}`);
    await until(
      'the energy of a process in the log',
      () =>
        /Name: wattfeed\.process\.energy/.test(shown.log()) && shown.log().includes('process.pid'),
      30_000,
    );
  });

  it('gateway.yaml writes it into Prometheus, with the node as a label', async () => {
    const prometheus = await PrometheusProcess.start();
    try {
      const port = await freePort();
      await run.startCollector({
        configs: ['gateway.yaml'],
        env: {
          WATTFEED_GATEWAY_ENDPOINT: `127.0.0.1:${String(port)}`,
          WATTFEED_GATEWAY_HEALTH: `127.0.0.1:${String(await freePort())}`,
          WATTFEED_REMOTE_WRITE: `${prometheus.url}/api/v1/write`,
        },
      });
      await run.startAgent(`http://127.0.0.1:${String(port)}`);
      const [sample] = await untilDefined(
        'a window in Prometheus',
        async () => {
          const samples = await prometheus.query('wattfeed_window_count_total');
          return samples.length > 0 ? samples : undefined;
        },
        { deadlineMillis: 30_000, everyMillis: 200 },
      );
      expect(sample?.labels).toMatchObject({ job: 'wattfeed' });
      expect(sample?.labels['host_name']).toBeTruthy();
    } finally {
      await prometheus.dispose();
    }
  });
});
