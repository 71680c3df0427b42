// SPDX-License-Identifier: Apache-2.0
/** A real Prometheus scrapes a real agent (`--prometheus`), with no Collector in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentPlace,
  startAgent,
  stopAgent,
  topOnce,
  type AgentProcess,
} from '../../support/agent-process.js';
import { freePort } from '../../support/collector-process.js';
import { buildLoads, startLoad, type Load } from '../../support/kernel/load.js';
import { startPowercapFixture, type PowercapFixture } from '../../support/powercap-fixture.js';
import { PrometheusProcess } from '../../support/prometheus-process.js';
import { untilDefined } from '../../support/until.js';

/** Longer than the test. */
const BURN_MILLIS = 600_000;
const WATTS = 50;

const configuration = (port: number): string => `
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: wattfeed
    static_configs: [{targets: ['127.0.0.1:${String(port)}']}]
`;

describe('Prometheus, scraping an agent', { timeout: 80_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-scrape-'));
  const place = agentPlace();
  let prometheus: PrometheusProcess;
  let fixture: PowercapFixture;
  let agent: AgentProcess;
  let load: Load;

  const value = async (expr: string, isEnough = (found: number): boolean => found > 0) =>
    untilDefined(
      `a value of ${expr}`,
      async () => {
        const [sample] = await prometheus.query(expr);
        return sample !== undefined && isEnough(sample.value) ? sample.value : undefined;
      },
      { deadlineMillis: 40_000, everyMillis: 250 },
    );

  beforeAll(async () => {
    buildLoads();
    const port = await freePort();
    prometheus = await PrometheusProcess.start({ 'prometheus.yml': configuration(port) });
    fixture = await startPowercapFixture(directory, [
      { id: 'intel-rapl:0', name: 'package-0', watts: WATTS },
    ]);
    load = await startLoad('burn', [BURN_MILLIS]);
    load.act().catch(() => undefined);
    agent = await startAgent(place, {
      flags: [`--sysfs-root=${fixture.sysfs}`, `--prometheus=${String(port)}`],
    });
  }, 80_000);

  afterAll(async () => {
    await stopAgent(agent);
    await load.stop();
    await fixture.stop();
    await prometheus.dispose();
    place.remove();
    rmSync(directory, { recursive: true, force: true });
  }, 30_000);

  it('takes each scrape, and complains of nothing', async () => {
    await value('sum_over_time(up[30s])', (scrapes) => scrapes >= 5);
    // The agent may not have listened yet at the very first one.
    expect(await value('min_over_time(up[4s])')).toBe(1);
    expect(prometheus.log).toBe('');
  });

  it('has between two looks of top what top shows of the load', async () => {
    const series = `wattfeed_process_energy_joules_total{process_pid="${String(load.pid)}", wattfeed_domain="package"}`;
    const shown = (): number =>
      topOnce(place).processes.find(({ pid }) => pid === load.pid)?.packageJoules ?? Number.NaN;
    const before = shown();
    // What was scraped before that look may be less; the next scrape is not.
    const scraped = await value(series, (joules) => joules >= before);
    expect(shown()).toBeGreaterThanOrEqual(scraped);
  });

  it('finds the power of the node as the counter gave it, not in lumps', async () => {
    const series = 'hw_energy_joules_total{hw_name="package-0"}';
    // From the second half minute on: rate() of a series that has just begun is too low.
    await value(`count_over_time(${series}[60s])`, (samples) => samples >= 24);
    const joules = await value(`increase(${series}[10s])`);
    // The ends of the range cut a window or two, which is a tenth of it each.
    expect(joules).toBeGreaterThan(WATTS * 10 * 0.75);
    expect(joules).toBeLessThan(WATTS * 10 * 1.25);
  });

  it('has the identity of each series in its labels, and the host once', async () => {
    expect(
      await value(
        'count(wattfeed_process_energy_joules_total{process_creation_time="", otel_metric_overflow=""}) or vector(0)',
        () => true,
      ),
    ).toBe(0);
    expect(await value('count(target_info)')).toBe(1);
  });
});
