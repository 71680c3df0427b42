// SPDX-License-Identifier: Apache-2.0
/** A real OpenTelemetry Collector as a child process, writing what it receives to a file. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CONFIG_DIRECTORY = join(ROOT, 'otel-config');
const START_DEADLINE_MILLIS = 20_000;

/** The binary that the suite's set-up has built; builds it if this file is run alone. */
export const collectorBinary = (): string =>
  execFileSync(join(ROOT, 'scripts', 'build-collector.sh'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** A port of 127.0.0.1 that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const accepts = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

export class CollectorProcess {
  readonly directory = mkdtempSync(join(tmpdir(), 'wattfeed-collector-'));
  readonly file = join(this.directory, 'metrics.jsonl');
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(
    readonly port: number,
    private readonly maxMessageMib: number,
  ) {}

  static async start(maxMessageMib = 4): Promise<CollectorProcess> {
    const collector = new CollectorProcess(await freePort(), maxMessageMib);
    await collector.start();
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it, or starts it again on the same port and file. */
  async start(): Promise<void> {
    const config = join(CONFIG_DIRECTORY, 'collector.test.yaml');
    const child = spawn(collectorBinary(), ['--config', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        WATTFEED_TEST_PORT: String(this.port),
        WATTFEED_TEST_FILE: this.file,
        WATTFEED_TEST_MAX_MIB: String(this.maxMessageMib),
      },
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
    const isUp = async (): Promise<boolean> => {
      if (child.exitCode !== null) throw new Error(`the Collector ended:\n${this.#log}`);
      return await accepts(this.port);
    };
    await until('the Collector to listen', isUp, START_DEADLINE_MILLIS);
  }

  /** SIGTERM, as an orderly restart; resolves when it is gone. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  /** Stops it from running at all: its kernel still accepts connections, nobody answers. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Whole lines received so far; each is one OTLP/JSON request. */
  lines(): readonly string[] {
    if (!existsSync(this.file)) return [];
    const text = readFileSync(this.file, 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '');
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
