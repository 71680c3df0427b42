// SPDX-License-Identifier: Apache-2.0
/** Core PMUs + configuration -> which event is opened on which CPU, and what is missing. Pure. */
import type { CounterSpec } from '../activity/port.js';
import type { CounterChoice, CounterKind, CounterSelection } from '../model/counter-selection.js';
import type { HostTopology } from '../model/host-topology.js';
import type { CorePmu } from './core-pmu.js';
import { cpusThatCount } from './counter-cpus.js';
import { chooseEvent, mayOccur, type CpuMaker, type EventChoice } from './event-choice.js';

export interface PmuPlan {
  readonly pmu: CorePmu;
  readonly events: readonly EventChoice[];
  /** Kinds that were asked for and that this PMU has no event of. */
  readonly missing: readonly CounterKind[];
  /** CPUs of it that are to count. */
  readonly cpus: readonly number[];
}

export interface CounterPlan {
  readonly pmus: readonly PmuPlan[];
  /** Index = CPU number up to the highest of the topology; empty = does not count. */
  readonly byCpu: readonly (readonly CounterSpec[])[];
}

const choose = (
  pmu: CorePmu,
  maker: CpuMaker,
  { kind, config }: CounterChoice,
): EventChoice | undefined => {
  if (config === undefined) return chooseEvent(pmu, maker, kind);
  const label = `${pmu.name}/config=0x${config.toString(16)}/ (configuration)`;
  return { kind, pmuType: pmu.pmuType, config, label };
};

const planPmu = (
  pmu: CorePmu,
  maker: CpuMaker,
  { choices }: CounterSelection,
  counting: readonly number[],
): PmuPlan => {
  const chosen = choices.map((choice) => ({
    kind: choice.kind,
    event: choose(pmu, maker, choice),
  }));
  return {
    pmu,
    events: chosen.flatMap(({ event }) => (event === undefined ? [] : [event])),
    missing: chosen.flatMap(({ kind, event }) =>
      event === undefined && mayOccur(maker, kind) ? [kind] : [],
    ),
    cpus: counting.filter((cpu) => pmu.cpus === undefined || pmu.cpus.has(cpu)),
  };
};

export const planCounters = (
  pmus: readonly CorePmu[],
  maker: CpuMaker,
  topology: HostTopology,
  selection: CounterSelection,
): CounterPlan => {
  const counting = [...cpusThatCount(selection.cpus, topology.cpus)];
  const plans = pmus.map((pmu) => planPmu(pmu, maker, selection, counting));
  const count = Math.max(-1, ...topology.cpus.map(({ cpu }) => cpu)) + 1;
  const byCpu = Array.from({ length: count }, (): readonly CounterSpec[] => []);
  for (const { events, cpus } of plans) {
    const specs = events.map(({ kind, pmuType, config: number }) => ({
      kind,
      pmuType,
      config: number,
    }));
    for (const cpu of cpus) byCpu[cpu] = specs;
  }
  return { pmus: plans, byCpu };
};
