// SPDX-License-Identifier: Apache-2.0
/** `accounting.counter_cpus` -> the CPUs that count. */
import type { CounterCpus } from '../model/counter-selection.js';
import type { HostCpu } from '../model/host-topology.js';

const coreKey = (cpu: HostCpu): string =>
  `${cpu.coreType}/${String(cpu.packageId)}/${String(cpu.dieId)}/${String(cpu.coreId)}`;

/** Counted by core type, so that each has its part. */
const everyNth = (cpus: readonly HostCpu[], nth: number): ReadonlySet<number> => {
  const placeOf = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const cpu of cpus) {
    const key = coreKey(cpu);
    if (placeOf.has(key)) continue;
    const place = seen.get(cpu.coreType) ?? 0;
    placeOf.set(key, place);
    seen.set(cpu.coreType, place + 1);
  }
  return new Set(
    cpus.filter((cpu) => (placeOf.get(coreKey(cpu)) ?? 0) % nth === 0).map(({ cpu }) => cpu),
  );
};

export const cpusThatCount = (
  wanted: CounterCpus,
  cpus: readonly HostCpu[],
): ReadonlySet<number> => {
  if (wanted._tag === 'EveryNth') return everyNth(cpus, wanted.nth);
  const numbers = cpus.map(({ cpu }) => cpu);
  if (wanted._tag === 'All') return new Set(numbers);
  return new Set(
    numbers.filter((cpu) => wanted.ranges.some(([first, last]) => cpu >= first && cpu <= last)),
  );
};
