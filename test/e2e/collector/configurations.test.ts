// SPDX-License-Identifier: Apache-2.0
/** Every configuration that is shipped: valid for the real Collector, and fed by the real agent. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  startAgent,
  stopAgent,
  type AgentPlace,
  type AgentProcess,
  MAIN,
} from '../../support/agent-process.js';
import { CONFIG_DIRECTORY, freePort } from '../../support/collector-process.js';
import { pointsOf } from '../../support/otlp-json.js';
import { PrometheusProcess } from '../../support/prometheus-process.js';
import {
  startCollector,
  validate,
  type CollectorSettings,
  type ShippedCollector,
} from '../../support/shipped-collector.js';
import { until, untilDefined } from '../../support/until.js';

const PIPELINES = readdirSync(CONFIG_DIRECTORY).filter(
  (name) => name.endsWith('.yaml') && !/^(builder-config|kustomization)/.test(name),
);
const FRAGMENTS = readdirSync(join(CONFIG_DIRECTORY, 'fragments'));
/** An agent under another name than the installed one. */
const AGENT_COMMAND = (flags: readonly string[]): string =>
  JSON.stringify([process.execPath, MAIN, 'run', ...flags]);

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
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-shipped-'));
  const file = join(directory, 'metrics.jsonl');
  let place: AgentPlace;
  let agent: AgentProcess | undefined;
  let collector: ShippedCollector | undefined;

  const start = async (settings: CollectorSettings): Promise<ShippedCollector> => {
    collector = await startCollector(settings);
    return collector;
  };
  const startAgentTo = async (endpoint: string): Promise<void> => {
    agent = await startAgent(place, {
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_INSECURE: 'true',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
      },
    });
  };
  const received = (): ReturnType<typeof pointsOf> => {
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'utf8');
    return pointsOf(
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean),
    );
  };
  const untilWindows = async (count: number): Promise<void> => {
    await until(
      `${String(count)} windows to arrive`,
      () =>
        received().some(({ name, value }) => name === 'wattfeed.window.count' && value >= count),
      30_000,
    );
  };

  beforeAll(() => {
    place = agentPlace();
  });
  afterEach(async () => {
    if (agent !== undefined) await stopAgent(agent);
    await collector?.stop();
    agent = undefined;
    collector = undefined;
    rmSync(file, { force: true });
  });
  afterAll(() => {
    place.remove();
    rmSync(directory, { recursive: true });
  });

  it('file.yaml writes it down, over the loopback fragment', async () => {
    const port = await freePort();
    await start({
      configs: ['file.yaml', 'fragments/otlp-loopback.yaml'],
      env: { WATTFEED_FILE: file, WATTFEED_OTLP_PORT: String(port) },
    });
    await startAgentTo(`http://127.0.0.1:${String(port)}`);
    await untilWindows(2);
  });

  it('file.yaml writes it down, over the fragment with a unix socket', async () => {
    const socket = join(directory, 'otlp.sock');
    await start({
      configs: ['file.yaml', 'fragments/otlp-unix-socket.yaml'],
      env: { WATTFEED_FILE: file, WATTFEED_OTLP_SOCKET: socket },
    });
    await startAgentTo(`unix://${socket}`);
    await untilWindows(2);
    expect(received()[0]?.resource).toMatchObject({ 'service.name': 'wattfeed' });
  });

  it('debug.yaml shows each point', async () => {
    const port = await freePort();
    const shown = await start({
      configs: ['debug.yaml', 'fragments/otlp-loopback.yaml'],
      env: { WATTFEED_OTLP_PORT: String(port) },
    });
    await startAgentTo(`http://127.0.0.1:${String(port)}`);
    await until(
      'the energy of a process in the log',
      () =>
        /Name: wattfeed\.process\.energy/.test(shown.log()) && shown.log().includes('process.pid'),
      30_000,
    );
  });

  it('wattfeedreceiver starts the agent, hands on what it sends, and ends it', async () => {
    const socket = join(directory, 'own.sock');
    const log = (
      await start({
        configs: ['file.yaml', 'fragments/wattfeed.yaml'],
        env: { WATTFEED_FILE: file, WATTFEED_OTLP_SOCKET: socket },
        set: [
          `receivers::wattfeed::command=${AGENT_COMMAND(place.flags)}`,
          `receivers::wattfeed::agent_socket=${place.socketPath}`,
          'receivers::wattfeed::collection_interval=1s',
        ],
      })
    ).log;
    await untilWindows(2);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const pid = Number(/"pid": (\d+)/.exec(log())?.[1]);
    expect(existsSync(`/proc/${String(pid)}`)).toBe(true);
    await collector?.stop();
    expect(existsSync(`/proc/${String(pid)}`)).toBe(false);
    expect(log()).toContain('agent: wattfeed: info: measuring');
    // One resource, one scope, the names and units of the agent: nothing of the receiver's own.
    const points = received();
    expect(new Set(points.map(({ scope }) => scope))).toEqual(new Set(['wattfeed']));
    expect(points.find(({ name }) => name === 'hw.energy')).toMatchObject({
      unit: 'J',
      kind: 'counter',
    });
  });

  it('wattfeedreceiver joins an agent that runs, and starts none beside it', async () => {
    const socket = join(directory, 'joined.sock');
    await startAgentTo(`unix://${socket}`);
    const { log } = await start({
      configs: ['file.yaml', 'fragments/wattfeed.yaml'],
      env: { WATTFEED_FILE: file, WATTFEED_OTLP_SOCKET: socket },
      set: [
        `receivers::wattfeed::command=${AGENT_COMMAND(place.flags)}`,
        `receivers::wattfeed::agent_socket=${place.socketPath}`,
      ],
    });
    await untilWindows(2);
    expect(log()).toContain('joins the agent that runs on this host');
    expect(log()).not.toContain('started the agent');
  });

  it('gateway.yaml writes it into Prometheus, with the node as a label', async () => {
    const prometheus = await PrometheusProcess.start();
    try {
      const port = await freePort();
      await start({
        configs: ['gateway.yaml'],
        env: {
          WATTFEED_GATEWAY_ENDPOINT: `127.0.0.1:${String(port)}`,
          WATTFEED_GATEWAY_HEALTH: `127.0.0.1:${String(await freePort())}`,
          WATTFEED_REMOTE_WRITE: `${prometheus.url}/api/v1/write`,
        },
      });
      await startAgentTo(`http://127.0.0.1:${String(port)}`);
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
