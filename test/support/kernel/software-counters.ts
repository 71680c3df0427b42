// SPDX-License-Identifier: Apache-2.0
/** Counters that every kernel has: software events, which exercise the whole path of hardware ones. */
import type { CounterSpec } from '../../../receiver/activity/port.js';
import { possibleCpus } from './proc.js';

const PERF_TYPE_SOFTWARE = 1;
const PERF_COUNT_SW_CPU_CLOCK = 0n;
const PERF_COUNT_SW_PAGE_FAULTS = 2n;
const NO_SUCH_EVENT = 999n;

const software = (kind: CounterSpec['kind'], config: bigint): CounterSpec => ({
  kind,
  pmuType: PERF_TYPE_SOFTWARE,
  config,
});

/** Rises by one per nanosecond, whatever runs: a CPU of exactly 1 GHz. */
export const CLOCK_AS_CYCLES = software('cycles', PERF_COUNT_SW_CPU_CLOCK);
export const CLOCK_AS_INSTRUCTIONS = software('instructions', PERF_COUNT_SW_CPU_CLOCK);
export const FAULTS_AS_MISSES = software('llc', PERF_COUNT_SW_PAGE_FAULTS);
export const FAULTS_AS_CYCLES = software('cycles', PERF_COUNT_SW_PAGE_FAULTS);
export const CLOCK_AS_VECTOR = software('vector', PERF_COUNT_SW_CPU_CLOCK);
export const CLOCK_AS_VECTOR_512 = software('vector512', PERF_COUNT_SW_CPU_CLOCK);
export const NO_VECTOR = software('vector', NO_SUCH_EVENT);
export const NO_CYCLES = software('cycles', NO_SUCH_EVENT);

/** The same list on each possible CPU, or what `of` says. */
export const onEachCpu = <Item>(of: (cpu: number) => Item): readonly Item[] =>
  Array.from({ length: possibleCpus() }, (_, cpu) => of(cpu));
