// SPDX-License-Identifier: Apache-2.0
import type { DashboardSpec, PanelSpec } from './panel.js';
import { COST_VARIABLES, gramsCo2, HOST, JOB, kilowattHours, money, SELECT } from './variables.js';

const MEASURED = `hw_energy_joules_total{${SELECT}, hw_parent=""}`;
const IN_RANGE = `sum(increase(${MEASURED}[$__range]))`;

const TOTALS: readonly PanelSpec[] = [
  {
    kind: 'stat',
    title: 'Power',
    description: 'All energy counters that no other one contains, of the chosen nodes.',
    unit: 'watt',
    width: 5,
    height: 4,
    queries: [{ expr: `sum(rate(${MEASURED}[$__rate_interval]))` }],
  },
  {
    kind: 'stat',
    title: 'Energy in the range',
    description: 'Electrical energy that the counters measured in the time range shown.',
    unit: 'kwatth',
    width: 5,
    height: 4,
    queries: [{ expr: kilowattHours(IN_RANGE), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'Cost in the range',
    description: 'That energy times PUE and your price per kWh.',
    unit: 'short',
    width: 5,
    height: 4,
    queries: [{ expr: money(IN_RANGE), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'CO₂ in the range',
    description:
      'That energy times PUE and your grams of CO₂ per kWh. Operation only, not manufacture.',
    unit: 'massg',
    width: 5,
    height: 4,
    queries: [{ expr: gramsCo2(IN_RANGE), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'Nodes that report',
    description: 'Nodes whose agent books windows.',
    unit: 'none',
    width: 4,
    height: 4,
    queries: [
      {
        expr: `count(sum by (host_name) (rate(wattfeed_window_count_total{${SELECT}}[$__rate_interval])) > 0)`,
        isInstant: true,
      },
    ],
  },
];

const PLACES: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Power by node',
    description: 'The sum of each node’s energy counters that no other one contains.',
    unit: 'watt',
    width: 12,
    queries: [
      {
        expr: `topk(20, sum by (host_name) (rate(${MEASURED}[$__rate_interval])))`,
        legend: '{{host_name}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Where it goes',
    description:
      'Power of workloads, of the idle floor, of interrupts, and what is nobody’s. The sum is measured.',
    unit: 'watt',
    width: 12,
    isStacked: true,
    queries: [
      {
        expr: `sum(rate(wattfeed_cgroup_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'workloads',
      },
      {
        expr: `sum(rate(wattfeed_idle_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'idle',
      },
      {
        expr: `sum(rate(wattfeed_irq_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'interrupts',
      },
      {
        expr: `sum(rate(wattfeed_unattributed_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'nobody',
      },
    ],
  },
  {
    kind: 'table',
    title: 'Control groups by energy in the range',
    description: 'Joules of each control group’s own tasks over all nodes, children not included.',
    unit: 'joule',
    width: 12,
    queries: [
      {
        expr: `topk(25, sum by (wattfeed_cgroup_path) (increase(wattfeed_cgroup_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
    ],
  },
  {
    kind: 'table',
    title: 'Pods by energy in the range',
    description: 'Joules of each pod over all nodes, by name where a Collector has joined it.',
    unit: 'joule',
    width: 24,
    queries: [
      {
        expr: `topk(25, sum by (k8s_namespace_name, k8s_pod_name, k8s_pod_uid) (increase(wattfeed_pod_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
    ],
  },
  {
    kind: 'table',
    title: 'Programs by energy in the range',
    description: 'Joules by the name of the program, over all nodes and processes.',
    unit: 'joule',
    width: 12,
    queries: [
      {
        expr: `topk(25, sum by (process_executable_name) (increase(wattfeed_process_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
    ],
  },
];

const AGENTS: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Modelled share',
    description: 'Part of the power that comes from a model, not from a counter.',
    unit: 'percentunit',
    width: 8,
    queries: [
      {
        expr: `sum(rate(hw_energy_joules_total{${SELECT}, hw_parent="", wattfeed_origin="modelled"}[$__rate_interval])) / sum(rate(${MEASURED}[$__rate_interval]))`,
        legend: 'modelled',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'What the agents cost',
    description: 'CPU time of the agents’ own processes per second, BPF programs not included.',
    unit: 's',
    width: 8,
    queries: [
      {
        expr: `topk(10, sum by (host_name) (rate(wattfeed_agent_cpu_time_seconds_total{${SELECT}}[$__rate_interval])))`,
        legend: '{{host_name}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Losses',
    description:
      'Events in which time or energy could not be given to its owner. Totals stay whole.',
    unit: 'short',
    width: 8,
    queries: [
      {
        expr: `sum by (wattfeed_event) (rate(wattfeed_accounting_losses_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{wattfeed_event}}',
      },
    ],
  },
];

export const FLEET: DashboardSpec = {
  uid: 'wattfeed-fleet',
  title: 'Wattfeed: fleet',
  description: 'Power, energy, cost and carbon of all nodes.',
  variables: [JOB, HOST, ...COST_VARIABLES],
  panels: [...TOTALS, ...PLACES, ...AGENTS],
};
