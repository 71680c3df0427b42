// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { DASHBOARDS } from '../../../scripts/dashboards/all.js';
import {
  dashboardFaults,
  exportedMetrics,
  isRawCounter,
  unknownNames,
} from '../../../scripts/dashboards/lint.js';
import { dashboardJson } from '../../../scripts/dashboards/panel.js';

const METRICS = exportedMetrics();

describe.each(Object.entries(DASHBOARDS))('dashboard %s', (_name, dashboard) => {
  it('obeys the linter and asks only for what the agent exports', () => {
    expect(dashboardFaults(dashboard, METRICS)).toEqual([]);
  });

  it('shows a counter as it is only where the title says since when', () => {
    const raw = dashboard.panels.filter(({ targets }) =>
      targets.some(({ expr }) => [...METRICS.keys()].some((metric) => isRawCounter(expr, metric))),
    );
    for (const { description } of raw) expect(description).toMatch(/since/);
  });

  it('has a variable for each that its queries name', () => {
    const text = JSON.stringify(dashboard.panels);
    const used = [...text.matchAll(/\$([a-z]+)\b/g)].map(([, name]) => name);
    const declared = dashboard.templating.list.map((variable) =>
      'name' in variable ? variable.name : '',
    );
    expect(declared).toEqual(expect.arrayContaining([...new Set(used)]));
  });
});

describe('dashboardFaults', () => {
  const faultsOf = (expr: string): readonly string[] =>
    dashboardFaults(
      dashboardJson({
        uid: 'u',
        title: 't',
        description: 'd',
        variables: [],
        panels: [
          {
            kind: 'stat',
            title: 'p',
            description: 'd',
            unit: 'watt',
            width: 4,
            queries: [{ expr }],
          },
        ],
      }),
      METRICS,
    );

  it('finds a metric and a label that nobody exports', () => {
    const select = 'job=~"$job", host_name=~"$host"';
    expect(faultsOf(`sum(rate(wattfeed_joules_total{${select}}[$__rate_interval]))`)).toEqual([
      'p: no metric wattfeed_joules_total',
    ]);
    expect(
      faultsOf(
        `sum by (pid) (rate(hw_energy_joules_total{${select}, zone="a"}[$__rate_interval]))`,
      ),
    ).toEqual([
      'p: hw_energy_joules_total has no label zone',
      'p: groups by pid, which no metric of it has',
    ]);
  });

  it('finds a query over all nodes, a fixed range and a line over the whole range', () => {
    const select = 'job=~"$job", host_name=~"$host"';
    expect(faultsOf('sum(rate(hw_energy_joules_total[5m]))')).toEqual([
      expect.stringContaining('does not select by job and host'),
      expect.stringContaining('has a fixed range'),
    ]);
    expect(faultsOf(`sum(increase(hw_energy_joules_total{${select}}[$__range]))`)).toEqual([
      expect.stringContaining('a line over $__range'),
    ]);
  });
});

describe('unknownNames', () => {
  it('takes a label that begins like a metric for a label', () => {
    const expr =
      'sum by (wattfeed_domain) (rate(wattfeed_idle_energy_joules_total{wattfeed_origin="measured"}[1m]))';
    expect(unknownNames(expr, METRICS)).toEqual([]);
  });
});
