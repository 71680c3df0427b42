// SPDX-License-Identifier: Apache-2.0
/**
 * Agent, node Collector (collector.yaml) and Prometheus with the shipped rules, as processes. The rules' times
 * are shortened; promtool tests them at full length (prometheus-rules.test.ts).
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentPlace, startAgent, stopAgent, type AgentPlace } from './agent-process.js';
import { freePort } from './collector-process.js';
import {
  startPowercapFixture,
  type FixtureZone,
  type PowercapFixture,
} from './powercap-fixture.js';
import { PrometheusProcess, RULES_DIRECTORY } from './prometheus-process.js';
import { startCollector } from './shipped-collector.js';

const EXPORT_MILLIS = 1_000;

export interface WholeWay {
  readonly prometheus: PrometheusProcess;
  readonly fixture: PowercapFixture;
  /** Of the agent. */
  readonly place: AgentPlace;
  readonly stop: () => Promise<void>;
}

/** Minutes become seconds, and rules are looked at every second. */
const hastened = (rules: string): string =>
  rules
    .replaceAll('[2m]', '[8s]')
    .replaceAll('interval: 30s', 'interval: 1s')
    .replace(/(for|keep_firing_for): \d+m/g, '$1: 3s');

/** `editRules` changes a limit of the shipped rules. */
export const startWholeWay = async (
  zones: readonly FixtureZone[],
  editRules: (rules: string) => string,
): Promise<WholeWay> => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-whole-'));
  const queue = join(directory, 'queue');
  mkdirSync(queue);
  const rules = editRules(hastened(readFileSync(join(RULES_DIRECTORY, 'rules.yml'), 'utf8')));
  const prometheus = await PrometheusProcess.start({ 'rules.yml': rules });
  const port = await freePort();
  const collector = await startCollector({
    configs: ['collector.yaml'],
    env: {
      WATTFEED_BACKEND_ENDPOINT: `${prometheus.url}/api/v1/otlp`,
      WATTFEED_QUEUE_DIRECTORY: queue,
      WATTFEED_OTLP_ENDPOINT: `127.0.0.1:${String(port)}`,
      WATTFEED_HEALTH_ENDPOINT: `127.0.0.1:${String(await freePort())}`,
    },
  });
  const fixture = await startPowercapFixture(directory, zones);
  const place = agentPlace();
  const agent = await startAgent(place, {
    flags: [`--sysfs-root=${fixture.sysfs}`],
    env: {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
      OTEL_METRIC_EXPORT_INTERVAL: String(EXPORT_MILLIS),
    },
  });
  const stop = async (): Promise<void> => {
    await stopAgent(agent);
    await collector.stop();
    await fixture.stop();
    await prometheus.dispose();
    place.remove();
    rmSync(directory, { recursive: true, force: true });
  };
  return { prometheus, fixture, place, stop };
};
