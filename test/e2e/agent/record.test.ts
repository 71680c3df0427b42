// SPDX-License-Identifier: Apache-2.0
/** A recording of this machine, replayed: the same joules to the same tasks, window by window. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { joinAgent } from '../../../receiver/socket/client.js';
import type { AgentReport } from '../../../receiver/model/agent-report.js';
import {
  MAIN,
  agentPlace,
  startAgent,
  stopAgent,
  wattfeed,
  type AgentPlace,
  type AgentProcess,
} from '../../support/agent-process.js';
import { buildLoads, startLoad } from '../../support/kernel/load.js';
import { startPowercapFixture, type PowercapFixture } from '../../support/powercap-fixture.js';
import { until } from '../../support/until.js';

const ZONES = [
  { id: 'intel-rapl:0', name: 'package-0', watts: 61.7 },
  { id: 'intel-rapl:0:0', name: 'dram', watts: 9.3 },
] as const;
const WINDOW_MILLIS = 250;

const replaySchema = z.looseObject({
  trace: z.looseObject({
    windows: z.number(),
    firstIndex: z.string(),
    lastIndex: z.string(),
    skippedWindows: z.number(),
    hasEnd: z.boolean(),
    problems: z.array(z.unknown()),
  }),
  conservation: z.looseObject({ closes: z.boolean(), defects: z.array(z.string()) }),
  live: z.looseObject({
    comparedWindows: z.number(),
    equalWindows: z.number(),
    differences: z.array(z.string()),
  }),
  domains: z.array(z.looseObject({ id: z.string(), measuredMicrojoules: z.string() })),
  processes: z.array(
    z.looseObject({ name: z.string(), microjoules: z.record(z.string(), z.string()) }),
  ),
});

const replayed = (path: string) => {
  const { code, stdout, stderr } = wattfeed(['replay', path]);
  if (code !== 0) throw new Error(stderr);
  return replaySchema.parse(JSON.parse(stdout));
};

const acceptedAt = (reports: readonly AgentReport[], index: bigint, id: string): bigint => {
  const report = reports.find(({ window }) => BigInt(window.index) === index);
  const row = report?.domains.find((domain) => domain.id === id);
  if (row === undefined) throw new Error(`no report of window ${String(index)}`);
  return BigInt(row.acceptedMicrojoules);
};

describe('wattfeed record', () => {
  let directory = '';
  let fixture: PowercapFixture;
  let place: AgentPlace;
  let agent: AgentProcess;

  beforeAll(async () => {
    buildLoads();
    directory = mkdtempSync(join(tmpdir(), 'wattfeed-record-'));
    fixture = await startPowercapFixture(directory, ZONES);
    place = agentPlace();
    const flags = [`--sysfs-root=${fixture.sysfs}`, `--window-millis=${WINDOW_MILLIS.toString()}`];
    agent = await startAgent(place, { flags });
  }, 60_000);

  afterAll(async () => {
    await stopAgent(agent);
    await fixture.stop();
    place.remove();
    rmSync(directory, { recursive: true, force: true });
  }, 30_000);

  it('joins the agent in the middle of its life, and replay gives what the agent gave', async () => {
    const joined = await joinAgent({ path: place.socketPath, timeoutMillis: 10_000 })();
    if (E.isLeft(joined)) throw new Error(joined.left.complaint.cause);
    const reports: AgentReport[] = [];
    joined.right.subscribe((report) => void reports.push(report));
    const storm = await startLoad('storm', [400, 8, 500, 8_000]);
    const path = join(directory, 'joined.ndjson.gz');
    const recording = wattfeedLater(['record', path, '--duration=3', ...place.flags.slice(0, 1)]);
    await storm.act();
    const { code, stderr } = await recording;
    await storm.stop();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`wrote ${path}`);

    const replay = replayed(path);
    const { trace, live } = replay;
    expect(trace).toMatchObject({ skippedWindows: 0, hasEnd: true, problems: [] });
    expect(replay.conservation).toMatchObject({ closes: true, defects: [] });
    expect(trace.windows).toBeGreaterThanOrEqual(3);
    expect(live).toMatchObject({
      comparedWindows: trace.windows,
      equalWindows: trace.windows,
      differences: [],
    });
    const last = BigInt(trace.lastIndex);
    await until('the viewer has the last window', () => {
      const latest = reports.at(-1)?.window.index;
      return latest !== undefined && BigInt(latest) >= last;
    });
    await joined.right.close();
    // The same energy came to a viewer by another way.
    for (const { id } of ZONES) {
      const measured = replay.domains.find((domain) => domain.id === id)?.measuredMicrojoules;
      const before = acceptedAt(reports, BigInt(trace.firstIndex) - 1n, id);
      expect(BigInt(measured ?? '-1'), id).toBe(acceptedAt(reports, last, id) - before);
    }
  }, 80_000);

  it('ends well when the reader of its standard output has read enough', async () => {
    const line = [MAIN, 'record', '-', ...place.flags.slice(0, 1)];
    const child = spawn('bash', ['-c', 'set -o pipefail; "$@" | head -1', 'bash', ...line], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.stdout.resume();
    const [code] = await once(child, 'exit');
    expect([code, said]).toEqual([0, '']);
  }, 60_000);

  it('measures itself where no agent runs, and a signal ends it with a whole file', async () => {
    const own = agentPlace();
    const config = join(directory, 'own.yaml');
    writeFileSync(
      config,
      `agent: {socket_path: ${own.socketPath}, pin_directory: ${join(own.directory, 'pins')}}\n` +
        `roots: {sysfs: ${fixture.sysfs}}\nwindow_millis: ${WINDOW_MILLIS.toString()}\n`,
    );
    const path = join(directory, 'own.ndjson');
    const child = spawn(MAIN, ['record', path, '--config', config], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const windowsSoFar = (): number => {
      try {
        return readFileSync(path, 'utf8').split('"type":"window"').length - 1;
      } catch {
        return 0;
      }
    };
    await until('some windows are written', () => windowsSoFar() >= 3, 30_000);
    child.kill('SIGINT');
    expect(await exited).toBe(0);
    own.remove();
    const { trace, live, conservation } = replayed(path);
    expect(trace).toMatchObject({ firstIndex: '1', hasEnd: true, problems: [] });
    expect(live).toMatchObject({ equalWindows: trace.windows, differences: [] });
    expect(conservation.closes).toBe(true);
    // Another one is not written over.
    const again = wattfeed(['record', path, '--duration=1', ...place.flags.slice(0, 1)]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('it exists already')]);
  }, 80_000);
});

/** One command that runs while something else is done. */
async function wattfeedLater(
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(MAIN, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { code, stderr };
}
