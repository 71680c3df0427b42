// SPDX-License-Identifier: Apache-2.0
/** One agent and one Collector at a time, as shipped, and what the Collector wrote into a file. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentPlace, MAIN, startAgent, stopAgent, type AgentProcess } from './agent-process.js';
import { pointsOf, type ReceivedPoint } from './otlp-json.js';
import {
  startCollector,
  type CollectorSettings,
  type ShippedCollector,
} from './shipped-collector.js';
import { until } from './until.js';

const ARRIVAL_DEADLINE_MILLIS = 30_000;

export class AgentIntoCollector {
  readonly directory = mkdtempSync(join(tmpdir(), 'wattfeed-shipped-'));
  readonly file = join(this.directory, 'metrics.jsonl');
  readonly place = agentPlace();
  #agent: AgentProcess | undefined;
  #collector: ShippedCollector | undefined;

  /** For the receiver's `command`: an agent that is not installed. */
  readonly agentCommand = JSON.stringify([process.execPath, MAIN, 'run', ...this.place.flags]);

  async startCollector(settings: CollectorSettings): Promise<ShippedCollector> {
    this.#collector = await startCollector(settings);
    return this.#collector;
  }

  async stopCollector(): Promise<void> {
    await this.#collector?.stop();
    this.#collector = undefined;
  }

  async startAgent(endpoint: string): Promise<void> {
    this.#agent = await startAgent(this.place, {
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_INSECURE: 'true',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
      },
    });
  }

  received(): readonly ReceivedPoint[] {
    if (!existsSync(this.file)) return [];
    const text = readFileSync(this.file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    return pointsOf(whole.split('\n').filter((line) => line !== ''));
  }

  async untilWindows(count: number): Promise<void> {
    const has = (): boolean =>
      this.received().some(({ name, value }) => name === 'wattfeed.window.count' && value >= count);
    await until(`${String(count)} windows to arrive`, has, ARRIVAL_DEADLINE_MILLIS);
  }

  /** After each test. */
  async stop(): Promise<void> {
    if (this.#agent !== undefined) await stopAgent(this.#agent);
    this.#agent = undefined;
    await this.stopCollector();
    rmSync(this.file, { force: true });
  }

  dispose(): void {
    this.place.remove();
    rmSync(this.directory, { recursive: true });
  }
}
