// SPDX-License-Identifier: Apache-2.0
/** A real Prometheus as a child process, with a place of its own, and its HTTP API. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { freePort } from './collector-process.js';
import { until, untilDefined } from './until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const RULES_DIRECTORY = join(ROOT, 'otel-config', 'prometheus');
const START_DEADLINE_MILLIS = 30_000;

/** The folder with prometheus and promtool, built if need be. */
export const prometheusFolder = (): string =>
  execFileSync(join(ROOT, 'scripts', 'build-prometheus.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

const sampleSchema = z.object({
  metric: z.record(z.string(), z.string()),
  value: z.tuple([z.number(), z.string()]),
});

const vectorSchema = z.object({
  status: z.literal('success'),
  data: z.object({ resultType: z.literal('vector'), result: z.array(sampleSchema) }),
});

const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(
      z.object({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()),
        state: z.enum(['inactive', 'pending', 'firing']),
      }),
    ),
  }),
});

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly atSeconds: number;
}

export type Alert = z.infer<typeof alertsSchema>['data']['alerts'][number];

export class PrometheusProcess {
  readonly directory = mkdtempSync(join(tmpdir(), 'wattfeed-prometheus-'));
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(readonly port: number) {}

  /** The shipped configuration and rules; `files` replaces some of them, by name. */
  static async start(files: Readonly<Record<string, string>> = {}): Promise<PrometheusProcess> {
    const prometheus = new PrometheusProcess(await freePort());
    cpSync(RULES_DIRECTORY, prometheus.directory, { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(prometheus.directory, name), text);
    await prometheus.#start();
    return prometheus;
  }

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  async #start(): Promise<void> {
    const child = spawn(
      join(prometheusFolder(), 'prometheus'),
      [
        `--config.file=${join(this.directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(this.directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(this.port)}`,
        '--web.enable-otlp-receiver',
        '--web.enable-remote-write-receiver',
        '--enable-feature=created-timestamp-zero-ingestion',
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    const isReady = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${this.#log}`);
      try {
        return (await fetch(`${this.url}/-/ready`)).ok;
      } catch {
        return false;
      }
    };
    await until('Prometheus to be ready', isReady, START_DEADLINE_MILLIS);
  }

  /** What it complained about; warnings and errors only. */
  get log(): string {
    return this.#log;
  }

  async #get(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const response = await fetch(
      `${this.url}${path}?${new URLSearchParams(parameters).toString()}`,
    );
    const body: unknown = await response.json();
    if (!response.ok)
      throw new Error(`${path} ${JSON.stringify(parameters)}: ${JSON.stringify(body)}`);
    return body;
  }

  /** An instant query; throws with Prometheus' own words if it is refused. */
  async query(expr: string, atSeconds?: number): Promise<readonly Sample[]> {
    const time = atSeconds === undefined ? {} : { time: String(atSeconds) };
    const body = vectorSchema.parse(await this.#get('/api/v1/query', { query: expr, ...time }));
    return body.data.result.map(({ metric, value: [at, value] }) => ({
      labels: metric,
      value: Number(value),
      atSeconds: at,
    }));
  }

  /** The value of a query with one result. */
  async value(expr: string, atSeconds?: number): Promise<number> {
    const samples = await this.query(expr, atSeconds);
    const [only] = samples;
    if (only === undefined || samples.length > 1)
      throw new Error(`${expr}: ${String(samples.length)} results, not one`);
    return only.value;
  }

  async alerts(): Promise<readonly Alert[]> {
    return alertsSchema.parse(await this.#get('/api/v1/alerts', {})).data.alerts;
  }

  /** The first alert of that name that is pending or fires. */
  async alert(name: string): Promise<Alert | undefined> {
    return (await this.alerts()).find(({ labels }) => labels['alertname'] === name);
  }

  /** Until that alert fires, or fires no longer. */
  async untilFiring(name: string, isFiring: boolean, deadlineMillis: number): Promise<void> {
    await untilDefined(
      isFiring ? 'the alert to fire' : 'the alert to resolve',
      async () => ((await this.alert(name))?.state === 'firing') === isFiring || undefined,
      { deadlineMillis, everyMillis: 250 },
    );
  }

  async dispose(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(this.directory, { recursive: true, force: true });
  }
}
