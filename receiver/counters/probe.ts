// SPDX-License-Identifier: Apache-2.0
/** Opens each planned event once, on the first CPU of its PMU: which of them this machine really has. */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivityPort } from '../activity/port.js';
import type { CounterKind } from '../model/counter-selection.js';
import type { HostTopology } from '../model/host-topology.js';
import type { CounterPlan, PmuPlan } from './plan.js';

export interface ProbedEvent {
  readonly kind: CounterKind;
  readonly label: string;
  /** errno's name; empty: it opens. */
  readonly code: string;
}

export interface ProbedPmu {
  readonly pmu: string;
  /** Online CPUs of it that are to count. */
  readonly cpuCount: number;
  readonly events: readonly ProbedEvent[];
  /** Kinds that were asked for and that are known by no event. */
  readonly missing: readonly CounterKind[];
}

/** Opened and read twice at once: that an idle CPU counts nothing meanwhile is no fault. */
const NO_WAIT_MILLIS = 0;

export type ProbePerf = ActivityPort['probePerf'];

const probePmu = (
  { pmu, events, missing, cpus }: PmuPlan,
  online: ReadonlySet<number>,
  probePerf: ProbePerf,
): ProbedPmu => {
  const counting = cpus.filter((cpu) => online.has(cpu));
  const cpu = counting[0];
  const codeOf = (pmuType: number, config: bigint): string => {
    if (cpu === undefined) return '';
    const probed = probePerf({ kind: 'perf', pmuType, config, cpu }, NO_WAIT_MILLIS);
    return E.isLeft(probed) ? probed.left.code : '';
  };
  return {
    pmu: pmu.name,
    cpuCount: counting.length,
    events: events.map(({ kind, label, pmuType, config }) => ({
      kind,
      label,
      code: codeOf(pmuType, config),
    })),
    missing,
  };
};

export const probeCounters = (
  { pmus }: CounterPlan,
  { cpus }: HostTopology,
  probePerf: ProbePerf,
): readonly ProbedPmu[] => {
  const online = new Set(cpus.filter((cpu) => cpu.isOnline).map(({ cpu }) => cpu));
  return pmus.map((pmu) => probePmu(pmu, online, probePerf));
};
