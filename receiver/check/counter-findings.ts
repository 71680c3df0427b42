// SPDX-License-Identifier: Apache-2.0
/** Findings about hardware counters. Pure. */
import type { ProbedEvent, ProbedPmu } from '../counters/probe.js';
import type { CounterKind } from '../model/counter-selection.js';
import type { CheckEnvironment } from './environment.js';
import type { Finding } from './result.js';

const MEANING: Readonly<Record<CounterKind, string>> = {
  cycles: 'these CPUs count nothing: what runs on them is split by time',
  instructions: 'waiting and computing code are told apart by cycles and misses only',
  llc: 'memory energy is split by time, not by traffic',
  vector: 'wide vector code is charged as any other code, which is too little',
  vector512: 'vector code of 512 bits is charged as code of 256 bits, which is too little',
};

const REMEDY_OF_CODE: Readonly<Record<string, string>> = {
  EACCES: 'run as root or give CAP_PERFMON; seccomp must allow perf_event_open',
  EPERM: 'run as root or give CAP_PERFMON; seccomp must allow perf_event_open',
  ENOENT: 'have the hypervisor or the firmware enable this event',
  ENODEV: 'have the hypervisor or the firmware enable this event',
  EINVAL: "name the event of this CPU's manual in accounting.counters, e.g. vector=0xf0c7",
};

const failed = (pmu: string, { kind, label, code }: ProbedEvent): Finding => ({
  id: `counter-${kind}-failed`,
  level: kind === 'cycles' ? 'limited' : 'note',
  what: `${pmu} does not open ${kind} (${label}): ${code}`,
  meaning: MEANING[kind],
  remedy: REMEDY_OF_CODE[code] ?? '',
});

const unknown = (pmu: string, kind: CounterKind): Finding => ({
  id: `counter-${kind}-unknown`,
  level: 'note',
  what: `no event of ${pmu} is known for ${kind}`,
  meaning: MEANING[kind],
  remedy: `if this CPU's manual has one, name it in accounting.counters: ${kind}=0x…`,
});

/** It holds a counter for ever: on CPUs with few, others then share the rest. */
const watchdog = (
  counters: readonly ProbedPmu[],
  { hasNmiWatchdog }: CheckEnvironment,
): readonly Finding[] =>
  hasNmiWatchdog && counters.some(({ events }) => events.some(({ code }) => code === ''))
    ? [
        {
          id: 'nmi-watchdog',
          level: 'note',
          what: 'the NMI watchdog holds one hardware counter of each CPU',
          meaning:
            'where counters are short they take turns: the time in which one did not run is judged by the rest and labelled',
          remedy: 'if that share is large: sysctl kernel.nmi_watchdog=0',
        },
      ]
    : [];

export const counterFindings = (
  counters: readonly ProbedPmu[],
  environment: CheckEnvironment,
): readonly Finding[] => [
  ...counters.flatMap(({ pmu, events, missing }) => [
    ...events.filter(({ code }) => code !== '').map((event) => failed(pmu, event)),
    ...missing.map((kind) => unknown(pmu, kind)),
  ]),
  ...watchdog(counters, environment),
];
