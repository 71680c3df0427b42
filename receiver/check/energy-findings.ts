// SPDX-License-Identifier: Apache-2.0
/** Findings about energy sources. Pure. */
import type { EnergyFacts } from '../energy/facts.js';
import { formatWatts } from '../energy/format.js';
import type { DroppedSource, EnergyPlan } from '../energy/plan-types.js';
import { windowComplaint } from '../energy/window-length.js';
import type { Finding } from './result.js';

const modelFindings = (plan: EnergyPlan, facts: EnergyFacts): readonly Finding[] => {
  const { model } = plan;
  if (model === undefined) return [];
  const curve = `${formatWatts(model.idleWatts)} idle, ${formatWatts(model.maxWatts)} busy`;
  return [
    {
      id: 'energy-modelled',
      level: 'limited',
      what: `no energy counter counts: power is modelled (${curve}; ${model.basis})`,
      meaning:
        'watts and joules are estimates; who used which share of them is still measured by CPU time',
      remedy: model.isGuess
        ? facts.virtualization.isVirtual
          ? "set energy.model to this guest's part of the host's power, idle and busy"
          : 'set energy.model from a wall meter: idle_watts and max_watts'
        : '',
    },
  ];
};

/** Nothing to read at all, and what could change that. */
const absentFindings = (facts: EnergyFacts): readonly Finding[] => {
  if (facts.zones.length > 0 || facts.pmus.length > 0 || facts.cpuModel.family === undefined)
    return [];
  const isGuest = facts.virtualization.isVirtual;
  return [
    {
      id: 'rapl-absent',
      level: 'limited',
      what: 'no RAPL: neither powercap zones nor a power PMU',
      meaning: isGuest
        ? 'hypervisors do not show the CPU energy counters to their guests'
        : 'the kernel has no driver for the energy counters of this CPU, or it is not loaded',
      remedy: isGuest ? '' : 'modprobe intel_rapl_msr; else a kernel with CONFIG_INTEL_RAPL',
    },
  ];
};

const idsOf = (dropped: readonly DroppedSource[]): string =>
  [...new Set(dropped.map(({ id }) => id))].join(', ');

const deadFindings = (dropped: readonly DroppedSource[], isGuest: boolean): readonly Finding[] => {
  const dead = dropped.filter(({ reason }) => reason === 'dead');
  if (dead.length === 0) return [];
  const values = [...new Set(dead.map(({ detail }) => detail))].join('; ');
  return [
    {
      id: 'source-dead',
      level: 'limited',
      what: `${idsOf(dead)}: ${values}`,
      meaning: isGuest
        ? 'the hypervisor shows the source without the registers behind it; it is not used'
        : 'the source is there but its counter does not move; it is not used',
      remedy: '',
    },
  ];
};

const CVE_REMEDY =
  'run as root or give CAP_DAC_READ_SEARCH (the counters are root-only since CVE-2020-8694)';

const unreadableFindings = (dropped: readonly DroppedSource[]): readonly Finding[] => {
  const unreadable = dropped.filter(({ reason }) => reason === 'unreadable');
  return [...new Set(unreadable.map(({ detail }) => detail))].map((detail) => ({
    id: 'source-unreadable',
    level: 'limited',
    what: `${idsOf(unreadable.filter((source) => source.detail === detail))}: ${detail}`,
    meaning: 'not used; a lesser source stands in',
    remedy: detail.startsWith('permission') ? CVE_REMEDY : '',
  }));
};

const oddFindings = (dropped: readonly DroppedSource[]): readonly Finding[] =>
  dropped
    .filter(({ reason }) => reason === 'implausible' || reason === 'mirror')
    .map(({ id, name, reason, detail }) => ({
      id: `source-${reason}`,
      level: reason === 'mirror' ? 'note' : 'limited',
      what: `${id} (${name}): ${detail}`,
      meaning:
        reason === 'mirror'
          ? 'counted once'
          : 'no hardware draws that much: the source is not used',
      remedy: '',
    }));

const dramFindings = (plan: EnergyPlan): readonly Finding[] => {
  const attributed = plan.domains.filter(({ domain }) => domain.isAttributed);
  // A board's sensor of a socket may contain the memory (Grace): nothing can be said there.
  const isMeasured = attributed.some(
    ({ domain }) => domain.source === 'perf' || domain.source === 'powercap',
  );
  if (attributed.some(({ measure }) => measure._tag === 'DramModel'))
    return [
      {
        id: 'dram-modelled',
        level: 'note',
        what: 'no DRAM counter: memory energy is predicted from cache misses (dram.model: on)',
        meaning:
          'it is labelled modelled and added to no measured total; without a miss counter it fails',
        remedy: '',
      },
    ];
  if (!isMeasured || attributed.some(({ domain }) => domain.kind === 'dram')) return [];
  return [
    {
      id: 'dram-absent',
      level: 'note',
      what: 'no DRAM counter',
      meaning: 'memory energy is absent, which is not zero: it is missing from every total',
      remedy: '',
    },
  ];
};

const meterFindings = (plan: EnergyPlan): readonly Finding[] =>
  plan.domains
    .filter(({ domain }) => domain.source === 'power-supply')
    .map(({ domain }) => ({
      id: 'meter-battery',
      level: 'note',
      what: `battery ${domain.name} is a meter of the whole machine`,
      meaning: 'its power and the rest of the machine are known only while it discharges',
      remedy: '',
    }));

const windowFindings = (plan: EnergyPlan, windowMillis: number): readonly Finding[] => {
  const complaint = windowComplaint(plan, windowMillis);
  if (complaint === undefined) return [];
  const { what, cause, remedy } = complaint;
  return [{ id: 'window-too-long', level: 'limited', what, meaning: cause, remedy }];
};

export const energyFindings = (
  facts: EnergyFacts,
  plan: EnergyPlan,
  windowMillis: number,
): readonly Finding[] => [
  ...modelFindings(plan, facts),
  ...absentFindings(facts),
  ...deadFindings(plan.dropped, facts.virtualization.isVirtual),
  ...unreadableFindings(plan.dropped),
  ...oddFindings(plan.dropped),
  ...plan.notes.map(({ id, what, cause, meaning, remedy }): Finding => ({
    id,
    level: 'limited',
    what: `${what}: ${cause}`,
    meaning,
    remedy,
  })),
  ...dramFindings(plan),
  ...meterFindings(plan),
  ...windowFindings(plan, windowMillis),
];
