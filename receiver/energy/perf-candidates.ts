// SPDX-License-Identifier: Apache-2.0
/** Events of the `power` PMUs -> candidates, one per CPU of the PMU's mask. Pure. */
import type { EnergyDomainKind } from '../model/energy-domain.js';
import type { HostCpu } from '../model/host-topology.js';
import type { Candidates, UnusableSource } from './candidates.js';
import type { EnergyUnit } from './energy-unit.js';
import type { EnergyFacts } from './facts.js';
import type { EnergyCandidate } from './measure.js';
import type { PerfEnergyEvent, PerfPowerPmu } from './perf-power.js';
import { maxPlausibleWatts } from './plausible.js';

/** `energy-gpu` is PP1, which powercap calls uncore: on clients it is the graphics. */
const KIND_OF_EVENT: Readonly<Record<string, EnergyDomainKind>> = {
  'energy-pkg': 'package',
  'energy-ram': 'dram',
  'energy-cores': 'core',
  'energy-core': 'core',
  'energy-gpu': 'uncore',
  'energy-psys': 'platform',
};

/** One system call per core and window, most of them to a remote CPU: 27 to 255 us each. */
const perCore = (cores: number): string =>
  `one counter per core (${String(cores)}): too many reads per window; the package contains them`;

const CORE_PMU = 'power_core';
/** 64 remote reads are 2 to 16 ms of the window thread. */
const CORE_COUNTERS_MAX = 64;

/** Where to open: the PMU's mask, else one CPU per package. */
const cpusToOpen = (facts: EnergyFacts, pmu: PerfPowerPmu): readonly HostCpu[] => {
  const online = facts.host.topology.cpus.filter((cpu) => cpu.isOnline);
  const masked = online.filter((cpu) => pmu.cpus.includes(cpu.cpu));
  if (masked.length > 0) return masked;
  return facts.host.topology.packageIds.flatMap((id) => {
    const first = online.find((cpu) => cpu.packageId === id);
    return first === undefined ? [] : [first];
  });
};

/** Mask CPUs of one package that sit on different dies: then the PMU counts dies (Intel). */
const countsDies = (cpus: readonly HostCpu[], packageId: number): boolean =>
  new Set(cpus.filter((cpu) => cpu.packageId === packageId).map((cpu) => cpu.dieId)).size > 1;

interface EventPlace {
  readonly pmu: PerfPowerPmu;
  readonly event: PerfEnergyEvent;
  readonly unit: EnergyUnit;
  readonly cpus: readonly HostCpu[];
}

const candidateOf = (
  facts: EnergyFacts,
  { pmu, event, unit, cpus }: EventPlace,
  cpu: HostCpu,
  configuredWatts: number | undefined,
): EnergyCandidate => {
  const named = KIND_OF_EVENT[event.name] ?? 'platform';
  const isDie = named !== 'platform' && countsDies(cpus, cpu.packageId);
  const kind = isDie && named === 'package' ? 'die' : named;
  const packageId = kind === 'platform' ? undefined : cpu.packageId;
  const place = String(cpu.packageId) + (isDie ? `:${String(cpu.dieId)}` : '');
  return {
    id: `${pmu.pmu}/${event.name}:${place}`,
    kind,
    name: event.name,
    packageId,
    dieId: isDie ? cpu.dieId : undefined,
    source: 'perf',
    rank: 0,
    measure: {
      _tag: 'Counter',
      shape: {
        unit,
        // The kernel extends the hardware counter to 64 bits.
        maxRaw: undefined,
        maxWatts: maxPlausibleWatts(facts.zones, kind, packageId, configuredWatts),
        mustMove: kind === 'package' || kind === 'die' || kind === 'platform',
      },
    },
    specs: [{ kind: 'perf', pmuType: pmu.pmuType, config: event.config, cpu: cpu.cpu }],
    unfit: undefined,
  };
};

/** One counter per core; its first CPU is the one to ask. */
const coreCandidate = (candidate: EnergyCandidate, cpu: HostCpu): EnergyCandidate => ({
  ...candidate,
  id: `${candidate.id}:${String(cpu.coreId)}`,
  coreId: cpu.coreId,
});

/** A mask may list two CPUs of one package for an event that is the package's: the first is enough. */
const uniqueById = (candidates: readonly EnergyCandidate[]): readonly EnergyCandidate[] =>
  [
    ...new Map([...candidates].reverse().map((candidate) => [candidate.id, candidate])).values(),
  ].reverse();

export const perfCandidates = (
  facts: EnergyFacts,
  configuredWatts: number | undefined,
  readsCores = false,
): Candidates => {
  const usable: EnergyCandidate[] = [];
  const unusable: UnusableSource[] = [];
  for (const pmu of facts.pmus) {
    const cpus = cpusToOpen(facts, pmu);
    for (const event of pmu.events) {
      const id = `${pmu.pmu}/${event.name}`;
      const { unit } = event;
      if (KIND_OF_EVENT[event.name] === undefined)
        unusable.push({ id, name: event.name, reason: 'unknown', why: 'event name not known' });
      else if (unit === undefined)
        unusable.push({
          id,
          name: event.name,
          reason: 'unknown',
          why: `no scale in joules: "${event.scaleText}"`,
        });
      else if (pmu.pmu === CORE_PMU && readsCores && cpus.length <= CORE_COUNTERS_MAX)
        usable.push(
          ...cpus.map((cpu) =>
            coreCandidate(
              candidateOf(facts, { pmu, event, unit, cpus: [cpu] }, cpu, configuredWatts),
              cpu,
            ),
          ),
        );
      else if (pmu.pmu === CORE_PMU)
        unusable.push({ id, name: event.name, reason: 'unfit', why: perCore(cpus.length) });
      else
        usable.push(
          ...uniqueById(
            cpus.map((cpu) => candidateOf(facts, { pmu, event, unit, cpus }, cpu, configuredWatts)),
          ),
        );
    }
  }
  return { usable, unusable };
};
