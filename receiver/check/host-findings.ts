// SPDX-License-Identifier: Apache-2.0
/** Findings about the CPUs, the hypervisor and the cgroups. Pure. */
import type { EnergyFacts } from '../energy/facts.js';
import type { CheckEnvironment } from './environment.js';
import type { Finding } from './result.js';

const guestFindings = ({ virtualization, host }: EnergyFacts): readonly Finding[] => {
  if (!virtualization.isVirtual) return [];
  const guest: Finding = {
    id: 'virtual-machine',
    level: 'note',
    what: `this is a guest of ${virtualization.hypervisor ?? 'a hypervisor'}`,
    meaning:
      'time that the hypervisor gives to others (steal) is not charged; joules are those of the guest, not of the host',
    remedy: '',
  };
  const smt: Finding = {
    id: 'virtual-smt',
    level: 'note',
    what: 'the guest sees hyper-threads',
    meaning: 'the overlap of siblings is right only if the hypervisor pins them to real siblings',
    remedy: '',
  };
  return host.hasSmt ? [guest, smt] : [guest];
};

const coreFindings = (
  { host, virtualization }: EnergyFacts,
  { corePmus }: CheckEnvironment,
): readonly Finding[] => {
  const findings: Finding[] = host.notes.map(({ what, cause, remedy }) => ({
    id: 'topology',
    level: 'limited',
    what: `${what}: ${cause}`,
    meaning: 'energy is split among fewer groups of CPUs than the machine has',
    remedy,
  }));
  if (corePmus.length === 0)
    findings.push({
      id: 'core-pmu-absent',
      level: 'note',
      what: 'no core PMU: no cycles, instructions or cache misses',
      meaning: 'energy is split by CPU time, which overcharges waiting and spinning code',
      remedy: virtualization.isVirtual ? 'have the hypervisor enable its virtual PMU' : '',
    });
  if (host.isHybrid)
    findings.push({
      id: 'hybrid',
      level: 'note',
      what: `core types ${host.coreTypes.join(', ')}`,
      meaning: 'the time of each task is kept apart by core type',
      remedy: '',
    });
  return findings;
};

const cgroupFindings = ({ cgroup }: CheckEnvironment): readonly Finding[] => {
  if (cgroup.layout === 'v2') return [];
  if (cgroup.layout === 'none')
    return [
      {
        id: 'cgroup-absent',
        level: 'limited',
        what: cgroup.reason,
        meaning: 'processes are charged, but not cgroups, containers or pods',
        remedy: 'mount cgroup2 there, or pass the right --cgroup-root',
      },
    ];
  return [
    {
      id: 'cgroup-v1',
      level: 'note',
      what: `cgroup ${cgroup.layout} layout: the ${cgroup.hierarchy} hierarchy names workloads`,
      meaning: `it ${cgroup.reason}`,
      remedy:
        'if another hierarchy holds your containers, name its controller in accounting.cgroup_hierarchy',
    },
  ];
};

export const hostFindings = (
  facts: EnergyFacts,
  environment: CheckEnvironment,
): readonly Finding[] => [
  ...guestFindings(facts),
  ...coreFindings(facts, environment),
  ...cgroupFindings(environment),
];
