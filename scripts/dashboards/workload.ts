// SPDX-License-Identifier: Apache-2.0
import { labelVariable, type DashboardSpec, type PanelSpec } from './panel.js';
import { COST_VARIABLES, gramsCo2, HOST, JOB, kilowattHours, money, SELECT } from './variables.js';

const CGROUP_VARIABLE = labelVariable(
  { name: 'cgroup', label: 'Control group', description: 'Path below the hierarchy’s root' },
  `wattfeed_cgroup_energy_joules_total{${SELECT}}`,
  'wattfeed_cgroup_path',
);

const GROUP = `${SELECT}, wattfeed_cgroup_path=~"$cgroup"`;
const ENERGY = `wattfeed_cgroup_energy_joules_total{${GROUP}}`;
const IN_RANGE = `sum(increase(${ENERGY}[$__range]))`;

const TOTALS: readonly PanelSpec[] = [
  {
    kind: 'stat',
    title: 'Power',
    description: 'Package and DRAM power of the chosen control groups’ tasks.',
    unit: 'watt',
    width: 6,
    height: 4,
    queries: [{ expr: `sum(rate(${ENERGY}[$__rate_interval]))` }],
  },
  {
    kind: 'stat',
    title: 'Energy in the range',
    description: 'Joules in the time range shown, also of processes that have ended in it.',
    unit: 'kwatth',
    width: 6,
    height: 4,
    queries: [{ expr: kilowattHours(IN_RANGE), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'Cost in the range',
    description:
      'That energy times PUE and your price per kWh. The node’s idle floor is not in it.',
    unit: 'short',
    width: 6,
    height: 4,
    queries: [{ expr: money(IN_RANGE), isInstant: true }],
  },
  {
    kind: 'stat',
    title: 'CO₂ in the range',
    description: 'That energy times PUE and your grams of CO₂ per kWh.',
    unit: 'massg',
    width: 6,
    height: 4,
    queries: [{ expr: gramsCo2(IN_RANGE), isInstant: true }],
  },
];

const DETAIL: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Power by control group',
    description: 'Own tasks of each, children not included: a stack counts nothing twice.',
    unit: 'watt',
    width: 12,
    isStacked: true,
    queries: [
      {
        expr: `topk(20, sum by (wattfeed_cgroup_path) (rate(${ENERGY}[$__rate_interval])))`,
        legend: '{{wattfeed_cgroup_path}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'CPU and memory power',
    description: 'Package energy and DRAM energy do not overlap.',
    unit: 'watt',
    width: 12,
    isStacked: true,
    queries: [
      {
        expr: `sum by (wattfeed_domain) (rate(${ENERGY}[$__rate_interval]))`,
        legend: '{{wattfeed_domain}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Joules per CPU second',
    description: 'What a second of CPU costs: falls with lower frequency and with shared cores.',
    unit: 'joule',
    width: 12,
    queries: [
      {
        expr: `sum(rate(${ENERGY}[$__rate_interval])) / sum(rate(wattfeed_cgroup_cpu_time_seconds_total{${GROUP}}[$__rate_interval]))`,
        legend: 'J/s of CPU',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Power by process',
    description: 'Processes of the chosen control groups that have series of their own.',
    unit: 'watt',
    width: 12,
    queries: [
      {
        expr: `topk(15, sum by (host_name, process_pid, process_executable_name) (rate(wattfeed_process_energy_joules_total{${SELECT}, process_linux_cgroup=~"$cgroup"}[$__rate_interval])))`,
        legend: '{{host_name}} {{process_executable_name}} {{process_pid}}',
      },
    ],
  },
];

/** Not by control group: a pod is all of its containers and helpers. */
const PODS: readonly PanelSpec[] = [
  {
    kind: 'timeseries',
    title: 'Pods by power',
    description:
      'Kubernetes pods, podman pods, ECS tasks and Nomad allocations; by name where a Collector has joined it.',
    unit: 'watt',
    width: 12,
    queries: [
      {
        expr: `topk(20, sum by (k8s_namespace_name, k8s_pod_name, k8s_pod_uid) (rate(wattfeed_pod_energy_joules_total{${SELECT}}[$__rate_interval])))`,
        legend: '{{k8s_namespace_name}} {{k8s_pod_name}} {{k8s_pod_uid}}',
      },
    ],
  },
  {
    kind: 'timeseries',
    title: 'Systemd units by power',
    description: 'Each unit with all control groups of its own.',
    unit: 'watt',
    width: 12,
    queries: [
      {
        expr: `topk(20, sum by (wattfeed_unit_name) (rate(wattfeed_unit_energy_joules_total{${SELECT}}[$__rate_interval])))`,
        legend: '{{wattfeed_unit_name}}',
      },
    ],
  },
  {
    kind: 'table',
    title: 'Cost of pods in the range',
    description: 'Energy of each pod in the time range times PUE and your price per kWh.',
    unit: 'short',
    width: 12,
    queries: [
      {
        expr: `topk(25, ${money(`sum by (k8s_namespace_name, k8s_pod_name, k8s_pod_uid) (increase(wattfeed_pod_energy_joules_total{${SELECT}}[$__range]))`)})`,
        isInstant: true,
      },
    ],
  },
  {
    kind: 'table',
    title: 'Users and batch jobs by energy in the range',
    description: 'Joules of each user, and of each job of a batch system, over all nodes.',
    unit: 'joule',
    width: 12,
    queries: [
      {
        expr: `topk(25, sum by (user_name) (increase(wattfeed_user_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
      {
        expr: `topk(25, sum by (wattfeed_job_system, wattfeed_job_id) (increase(wattfeed_job_energy_joules_total{${SELECT}}[$__range])))`,
        isInstant: true,
      },
    ],
  },
];

export const WORKLOAD: DashboardSpec = {
  uid: 'wattfeed-workload',
  title: 'Wattfeed: workload',
  description: 'What a workload burns and costs, over all nodes it runs on.',
  variables: [JOB, HOST, CGROUP_VARIABLE, ...COST_VARIABLES],
  panels: [...TOTALS, ...DETAIL, ...PODS],
};
