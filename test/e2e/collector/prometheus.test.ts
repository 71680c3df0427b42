// SPDX-License-Identifier: Apache-2.0
/**
 * The whole way: real load, agent, node Collector (collector.yaml), Prometheus with the shipped rules.
 */
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentReport } from '../../../receiver/model/agent-report.js';
import { joinAgent } from '../../../receiver/socket/client.js';
import { DASHBOARDS } from '../../../scripts/dashboards/all.js';
import { topOnce } from '../../support/agent-process.js';
import { withVariables } from '../../support/dashboard-query.js';
import { buildLoads, startLoad, type Load } from '../../support/kernel/load.js';
import type { PrometheusProcess, Sample } from '../../support/prometheus-process.js';
import { until, untilDefined } from '../../support/until.js';
import { startWholeWay, type WholeWay } from '../../support/whole-way.js';

const PACKAGE = 'intel-rapl:0';
const CALM_WATTS = 30;
const LOAD_WATTS = 120;
const LIMIT_WATTS = 80;
const FIRING_MILLIS = 45_000;
/** Longer than the test. */
const BURN_MILLIS = 600_000;
/** Less than a window. */
const MARGIN_MILLIS = 100;
const ALERT = 'WattfeedNodeOverPowerLimit';

const withLimit = (rules: string): string =>
  rules.replace('watts * 0 + 300', `watts * 0 + ${String(LIMIT_WATTS)}`);

/** Series that exist only where there are pods, units or jobs, a model, or BPF statistics. */
const MAY_BE_EMPTY = /_pod_|_unit_|_job_|modelled|bpf_run_time/;

const VARIABLES = {
  job: '.+',
  host: '.+',
  cgroup: '.+',
  price: '0.30',
  carbon: '300',
  pue: '1.2',
  __rate_interval: '8s',
  __range: '60s',
};

describe('from a load to a firing alert and a dashboard', () => {
  const reports = new Map<number, AgentReport>();
  let way: WholeWay;
  let prometheus: PrometheusProcess;
  let unsubscribe = (): void => undefined;
  const burners: Load[] = [];

  /** The query of a panel, as Grafana sends it. */
  const panelQuery = (dashboard: string, title: string): string => {
    const panel = DASHBOARDS[dashboard]?.panels.find((one) => one.title === title);
    const [target] = panel?.targets ?? [];
    if (target === undefined) throw new Error(`no panel ${title} in ${dashboard}`);
    return withVariables(target.expr, VARIABLES);
  };

  beforeAll(async () => {
    buildLoads();
    way = await startWholeWay(
      [
        { id: PACKAGE, name: 'package-0', watts: CALM_WATTS },
        { id: 'intel-rapl:0:0', name: 'core', watts: CALM_WATTS / 2 },
        { id: 'intel-rapl:0:1', name: 'dram', watts: 5 },
      ],
      withLimit,
    );
    ({ prometheus } = way);
    const link = await joinAgent({ path: way.place.socketPath, timeoutMillis: 10_000 })();
    if (E.isLeft(link)) throw new Error('the agent cannot be joined');
    unsubscribe = link.right.subscribe((report) => {
      reports.set(report.window.endUnixMillis, report);
    });
  }, 80_000);

  afterAll(async () => {
    unsubscribe();
    for (const burner of burners) await burner.stop();
    await way.stop();
  });

  it('lets a node within its limit be', async () => {
    await untilDefined(
      'the power of the node in Prometheus',
      async () => {
        const [power] = await prometheus.query('wattfeed:node_power:watts');
        return power !== undefined && power.value > CALM_WATTS ? power : undefined;
      },
      { deadlineMillis: 30_000, everyMillis: 250 },
    );
    expect(await prometheus.alert(ALERT)).toBeUndefined();
  });

  it('fires for a load that takes the node over its limit', async () => {
    for (let cpu = 0; cpu < 2; cpu += 1) {
      const burner = await startLoad('burn', [BURN_MILLIS]);
      // It is ended before it is done.
      burner.act().catch(() => undefined);
      burners.push(burner);
    }
    await way.fixture.setWatts(PACKAGE, LOAD_WATTS);
    await prometheus.untilFiring(ALERT, true, FIRING_MILLIS);
    const fired = await prometheus.alert(ALERT);
    expect(fired?.labels).toMatchObject({ severity: 'warning' });
    expect(fired?.labels['host_name']).toBeTruthy();
    expect(fired?.annotations['summary']).toMatch(/draws \d+ W, more than it may/);
  });

  it('shows in a dashboard the joules that top shows, ± 1 %', async () => {
    const pid = String(burners[0]?.pid);
    const query = panelQuery('node', 'Processes by energy');
    // The sample of one window, and what top was told of the same window.
    const sampled = (samples: readonly Sample[]): Sample | undefined =>
      samples.find(
        ({ labels }) =>
          labels['process_pid'] === pid && labels['process_executable_name'] === 'burn',
      );
    const { joules, report } = await untilDefined(
      'a window that both know',
      async () => {
        // The newest: the series of the shell that became the program has ended.
        const series = `wattfeed_process_energy_joules_total{process_pid="${pid}", wattfeed_domain="package"}`;
        const at = await prometheus.query(`max(timestamp(${series}))`);
        const exportedAt = (at[0]?.value ?? 0) * 1_000;
        // Both are cut to milliseconds, each in its own way.
        const told = [...reports.values()].find(
          ({ window }) => Math.abs(window.endUnixMillis - exportedAt) <= 1,
        );
        if (told === undefined) return undefined;
        // Asked a little later than the sample, and before the next window.
        const askedAt = (exportedAt + MARGIN_MILLIS) / 1_000;
        const row = sampled(await prometheus.query(query, askedAt));
        return row === undefined ? undefined : { joules: row.value, report: told };
      },
      { deadlineMillis: 20_000, everyMillis: 100 },
    );
    const row = report.processes.find((process) => String(process.pid) === pid);
    const shown = (row?.packageJoules ?? 0) + (row?.dramJoules ?? 0);
    expect(shown).toBeGreaterThan(50);
    expect(Math.abs(joules / shown - 1)).toBeLessThan(0.01);
    // And `top` itself, a program of its own, a little later: the same process, no less than then.
    const top = topOnce(way.place).processes.find((process) => String(process.pid) === pid);
    expect((top?.packageJoules ?? 0) + (top?.dramJoules ?? 0)).toBeGreaterThanOrEqual(shown);
  });

  it('shows the watts that top shows for the node, ± 1 %', async () => {
    const watts = (report: AgentReport): number =>
      report.domains
        .filter(({ parentId }) => parentId === null)
        .reduce((sum, domain) => sum + (domain.watts ?? 0), 0);
    const steady = (): readonly number[] => [...reports.values()].slice(-12).map(watts);
    await until(
      'ten steady windows',
      () => steady().every((value) => value > LOAD_WATTS * 0.9) && reports.size > 14,
      30_000,
    );
    const shown = steady().reduce((sum, value) => sum + value, 0) / steady().length;
    // As of the last sample: what is on its way still is a large part of a range of 8 s.
    const sampledAt = await prometheus.value('max(timestamp(hw_energy_joules_total))');
    const asked = await prometheus.value(panelQuery('node', 'Power'), sampledAt);
    expect(Math.abs(asked / shown - 1)).toBeLessThan(0.01);
  });

  const queries = Object.entries(DASHBOARDS).flatMap(([name, { panels }]) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ name, title, expr: withVariables(expr, VARIABLES) })),
    ),
  );

  it.each(queries)('answers $name: $title', async ({ expr }) => {
    const samples = await prometheus.query(expr);
    if (!MAY_BE_EMPTY.test(expr)) expect(samples.length).toBeGreaterThan(0);
    for (const { value } of samples) expect(value).toBeGreaterThanOrEqual(0);
  });

  it('multiplies energy by price and carbon as the variables say', async () => {
    // one query each: two are of two moments, and the joules go on
    const ratio = (over: string, under: string): Promise<number> =>
      prometheus.value(
        `vector(scalar(${panelQuery('fleet', over)}) / scalar(${panelQuery('fleet', under)}))`,
      );
    expect(await ratio('CO₂ in the range', 'Cost in the range')).toBeCloseTo(300 / 0.3, 3);
    expect(await ratio('Cost in the range', 'Energy in the range')).toBeCloseTo(1.2 * 0.3, 6);
  });

  it('resolves when the load has ended', async () => {
    for (const burner of burners.splice(0)) await burner.stop();
    await way.fixture.setWatts(PACKAGE, CALM_WATTS);
    await prometheus.untilFiring(ALERT, false, FIRING_MILLIS);
  });
});
