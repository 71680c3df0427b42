// SPDX-License-Identifier: Apache-2.0
/**
 * A mixed load on a moving powercap tree with faults injected, watched window by window: the same run
 * for 90 s in the tests and for 10 minutes as a soak.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import type { ReportSource } from '../../receiver/model/report-source.js';
import type { AgentReport } from '../../receiver/model/agent-report.js';
import { joinAgent } from '../../receiver/socket/client.js';
import { agentPlace, startAgent, stopAgent } from './agent-process.js';
import { startLoad } from './kernel/load.js';
import { startPowercapFixture, type PowercapFixture } from './powercap-fixture.js';

export interface ConservationRun {
  readonly reports: readonly AgentReport[];
  /** What each zone had really emitted when the last window ended, give or take a tick. */
  readonly emittedMicrojoules: ReadonlyMap<string, bigint>;
  /** Zones that lost energy to a fault on purpose: a reset or an outage at the wrong moment. */
  readonly log: string;
  readonly exitCode: number | null;
}

export const ZONES = [
  { id: 'intel-rapl:0', name: 'package-0', watts: 61.7 },
  { id: 'intel-rapl:0:0', name: 'dram', watts: 9.3 },
  { id: 'intel-rapl:1', name: 'psys', watts: 140 },
] as const;

/** About every eighth of the run one fault; each lasts two windows or so. */
const injectAll = async (fixture: PowercapFixture, step: () => Promise<void>): Promise<void> => {
  await step();
  await fixture.wrapIn('intel-rapl:0', 2);
  await step();
  await fixture.inject('intel-rapl:0:0', 'permission');
  await step();
  await fixture.restore('intel-rapl:0:0');
  await fixture.inject('intel-rapl:0', 'garbage');
  await step();
  await fixture.restore('intel-rapl:0');
  await fixture.wrapIn('intel-rapl:0:0', 2);
  await step();
  await fixture.reset('intel-rapl:0:0');
  await fixture.setWatts('intel-rapl:0', 118.25);
  await step();
  await fixture.inject('intel-rapl:0', 'empty');
  await fixture.inject('intel-rapl:1', 'not-a-number');
  await step();
  await fixture.restore('intel-rapl:0');
  await fixture.restore('intel-rapl:1');
  await step();
};

const watch = async (
  socketPath: string,
): Promise<{ source: ReportSource; reports: AgentReport[] }> => {
  const joined = await joinAgent({ path: socketPath, timeoutMillis: 10_000 })();
  if (E.isLeft(joined)) throw new Error(JSON.stringify(joined.left));
  const reports: AgentReport[] = [];
  // On a crowded machine a viewer may miss windows; totals have to rise over the gap all the same.
  joined.right.subscribe((report) => {
    reports.push(report);
  });
  return { source: joined.right, reports };
};

const wait = async (durationMillis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMillis);
  });

/** Short-lived and long-lived work side by side, on and on until stopped. */
const mixedLoad = async (): Promise<() => Promise<void>> => {
  const load = { isOver: false };
  const storms = (async () => {
    while (!load.isOver) {
      const storm = await startLoad('storm', [400, 8, 500, 8_000]);
      await storm.act();
      await storm.stop();
    }
  })();
  const burner = await startLoad('burn', [3_600]);
  return async () => {
    load.isOver = true;
    await burner.stop();
    await storms;
  };
};

export const runConservation = async (durationSeconds: number): Promise<ConservationRun> => {
  const root = mkdtempSync(join(tmpdir(), 'wattfeed-conservation-'));
  const fixture = await startPowercapFixture(root, ZONES);
  const place = agentPlace();
  const agent = await startAgent(place, {
    flags: [`--sysfs-root=${fixture.sysfs}`, '--window-millis=500', '--log-level=debug'],
  });
  const { source, reports } = await watch(place.socketPath);
  const stopLoad = await mixedLoad();
  const stepMillis = (durationSeconds * 1000) / 8;
  await injectAll(fixture, async () => wait(stepMillis));
  const { emittedMicrojoules } = await fixture.snapshot();
  await stopLoad();
  await source.close();
  const { code } = await stopAgent(agent);
  await fixture.stop();
  rmSync(root, { recursive: true, force: true });
  place.remove();
  return { reports, emittedMicrojoules, log: agent.log(), exitCode: code };
};
