// SPDX-License-Identifier: Apache-2.0
import { labelVariable, type DashboardSpec, type PanelSpec } from './panel.js';
import { COST_VARIABLES, gramsCo2, JOB, money, SELECT } from './variables.js';

const ONE_HOST = labelVariable(
  { name: 'host', label: 'Node', description: 'host.name of the node' },
  'wattfeed_window_count_total{job=~"$job"}',
  'host_name',
  { isMulti: false },
);

const MEASURED = `hw_energy_joules_total{${SELECT}, hw_parent=""}`;
const PROCESS = `wattfeed_process_energy_joules_total{${SELECT}}`;
const BY_PROCESS = 'process_pid, process_executable_name, process_owner, process_linux_cgroup';

const TOTALS: readonly PanelSpec[] = [
  {
    kind: 'stat',
    title: 'Power',
    description: 'The node’s energy counters that no other one contains.',
    unit: 'watt',
    width: 6,
    height: 4,
    queries: [{ expr: `sum(rate(${MEASURED}[$__rate_interval]))` }],
  },
  {
    kind: 'stat',
    title: 'Energy since the agent’s start',
    description:
      'The first line of `wattfeed top`: what the counters measured since the agent started.',
    unit: 'joule',
    width: 6,
    height: 4,
    queries: [{ expr: `sum(${MEASURED})`, isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'Cost in the range',
    description: 'Energy in the time range times PUE and your price per kWh.',
    unit: 'short',
    width: 6,
    height: 4,
    queries: [{ expr: money(`sum(increase(${MEASURED}[$__range]))`), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'CO₂ in the range',
    description: 'Energy in the time range times PUE and your grams of CO₂ per kWh.',
    unit: 'massg',
    width: 6,
    height: 4,
    queries: [{ expr: gramsCo2(`sum(increase(${MEASURED}[$__range]))`), isInstant: true }],
  },
];

const COUNTERS: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Power by counter',
    description:
      'Each energy counter by itself. A core domain is part of its package: do not add it.',
    unit: 'watt',
    width: 12,
    queries: [
      {
        expr: `sum by (hw_name, hw_id) (rate(hw_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{hw_name}} {{hw_id}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Where it goes',
    description: 'Power of processes, of the idle floor, of interrupts, and what is nobody’s.',
    unit: 'watt',
    width: 12,
    isStacked: true,
    queries: [
      { expr: `sum(rate(${PROCESS}[$__rate_interval]))`, legend: 'processes' },
      {
        expr: `sum by (wattfeed_domain) (rate(wattfeed_idle_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'idle {{wattfeed_domain}}',
      },
      {
        expr: `sum(rate(wattfeed_irq_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'interrupts',
      },
      {
        expr: `sum by (wattfeed_reason) (rate(wattfeed_unattributed_energy_joules_total{${SELECT}}[$__rate_interval]))`,
        legend: 'nobody: {{wattfeed_reason}}',
      },
    ],
  },
];

const WHO: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Processes by power',
    description:
      'Package and DRAM power of the fifteen processes that burn most; all without a series of their own are one.',
    unit: 'watt',
    width: 24,
    queries: [
      {
        expr: `topk(15, sum by (${BY_PROCESS}) (rate(${PROCESS}[$__rate_interval])))`,
        legend: '{{process_executable_name}} {{process_pid}}',
      },
    ],
  },
  {
    kind: 'table',
    title: 'Processes by energy',
    description:
      'The column ENERGY of `wattfeed top`: joules of each process since its series began.',
    unit: 'joule',
    width: 12,
    queries: [{ expr: `topk(50, sum by (${BY_PROCESS}) (${PROCESS}))`, isInstant: true }],
  },
  {
    kind: 'table',
    title: 'Control groups by energy in the range',
    description:
      'Joules of each control group’s own tasks, children not included; also of processes that have ended.',
    unit: 'joule',
    width: 12,
    queries: [
      {
        expr: `topk(50, sum by (wattfeed_cgroup_path) (increase(wattfeed_cgroup_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
    ],
  },
];

const AGENT: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'State of the counters',
    description: 'Exactly one state of each counter is 1.',
    unit: 'none',
    width: 6,
    queries: [
      {
        expr: `max by (hw_id, wattfeed_state) (wattfeed_source_state_ratio{${SELECT}, wattfeed_state!="ok"})`,
        legend: '{{hw_id}} {{wattfeed_state}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Lateness of windows',
    description: 'Most that a window closed after it was due.',
    unit: 's',
    width: 6,
    queries: [{ expr: `max(wattfeed_window_lateness_seconds{${SELECT}})`, legend: 'lateness' }],
  },
  {
    kind: 'timeseries',
    title: 'The agent’s CPU',
    description: 'CPU time per second of the agent’s process, and of its BPF programs.',
    unit: 's',
    width: 6,
    queries: [
      {
        expr: `sum by (cpu_mode) (rate(wattfeed_agent_cpu_time_seconds_total{${SELECT}}[$__rate_interval]))`,
        legend: '{{cpu_mode}}',
      },
      {
        expr: `sum(rate(wattfeed_bpf_run_time_seconds_total{${SELECT}}[$__rate_interval]))`,
        legend: 'BPF',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'The agent’s memory',
    description: 'Resident memory of the agent’s process.',
    unit: 'bytes',
    width: 6,
    queries: [{ expr: `max(wattfeed_agent_memory_resident_bytes{${SELECT}})`, legend: 'resident' }],
  },
];

export const NODE: DashboardSpec = {
  uid: 'wattfeed-node',
  title: 'Wattfeed: node',
  description: 'One node: its energy counters, who burns what, and its agent.',
  variables: [JOB, ONE_HOST, ...COST_VARIABLES],
  panels: [...TOTALS, ...COUNTERS, ...WHO, ...AGENT],
};
