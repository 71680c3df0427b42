// SPDX-License-Identifier: Apache-2.0
/** Instruments by which the agent reports on itself: its cost, its losses, the state of its sources. */
import type { Instrument } from './instruments.js';

export const SELF_INSTRUMENTS = {
  spinEnergy: {
    name: 'wattfeed.spin.energy',
    unit: 'J',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Energy of threads since they were found to run and do nothing, by how they wait. It is part of their processes’ energy: do not add the two.',
    attributes: ['processPid', 'processExecutableName', 'threadId', 'threadName', 'spinKind'],
  },
  spinTime: {
    name: 'wattfeed.spin.time',
    unit: 's',
    kind: 'counter',
    stability: 'alpha',
    description: 'CPU time of threads since they were found to run and do nothing.',
    attributes: ['processPid', 'processExecutableName', 'threadId', 'threadName', 'spinKind'],
  },
  spinActive: {
    name: 'wattfeed.spin.active',
    unit: '{thread}',
    kind: 'updowncounter',
    stability: 'alpha',
    description: 'Threads that run and do nothing now. The agent’s log names each.',
    attributes: ['spinKind'],
  },
  sourceState: {
    name: 'wattfeed.source.state',
    unit: '1',
    kind: 'gauge',
    stability: 'alpha',
    description:
      'State of an energy counter in the last window: 1 for the state it is in, 0 for the others. A counter that is absent has no series.',
    attributes: ['hwId', 'domain', 'origin', 'source', 'state'],
  },
  sourceWindows: {
    name: 'wattfeed.source.windows',
    unit: '{window}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Windows by what became of the counter’s reading: `accepted`, `rejected` (reason `reset`, `implausible`, `suspend`, `out-of-range`, `gap`, `not-counting`) or `failed` (`unreadable`, `permission`, `empty`, `not-a-number`, `gone`). Rejected and failed windows add no energy.',
    attributes: ['hwId', 'result', 'reason'],
  },
  coverageTime: {
    name: 'wattfeed.coverage.time',
    unit: 's',
    kind: 'counter',
    stability: 'beta',
    description:
      'Time by how a counter’s joules of it are accounted for: `accounted` (windows of this agent), `agent_down` (no agent ran; found afterwards, in `wattfeed.unattributed.energy`), `gap` (no agent ran and the joules are not known).',
    attributes: ['hwId', 'result'],
  },
  windowCount: {
    name: 'wattfeed.window.count',
    unit: '{window}',
    kind: 'counter',
    stability: 'alpha',
    description: 'Windows booked into the ledger. Stands still: the agent does not measure.',
    attributes: [],
  },
  windowDuration: {
    name: 'wattfeed.window.duration',
    unit: 's',
    kind: 'gauge',
    stability: 'alpha',
    description: 'Length of the last window.',
    attributes: [],
  },
  windowLateness: {
    name: 'wattfeed.window.lateness',
    unit: 's',
    kind: 'gauge',
    stability: 'alpha',
    description: 'Most that a window closed after it was due, since the previous export.',
    attributes: [],
  },
  windowStageTime: {
    name: 'wattfeed.window.stage.time',
    unit: 's',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Time spent at the ends of windows: `flush` (running tasks), `energy` (counters), `scan` (slots), `attribution` (splitting and booking).',
    attributes: ['stage'],
  },
  bpfRunTime: {
    name: 'wattfeed.bpf.run.time',
    unit: 's',
    kind: 'counter',
    stability: 'alpha',
    description: 'CPU time of a BPF program, while kernel.bpf_stats is on.',
    attributes: ['program'],
  },
  bpfRuns: {
    name: 'wattfeed.bpf.runs',
    unit: '{run}',
    kind: 'counter',
    stability: 'alpha',
    description: 'Runs of a BPF program, while kernel.bpf_stats is on.',
    attributes: ['program'],
  },
  bpfRecursionMisses: {
    name: 'wattfeed.bpf.recursion_misses',
    unit: '{run}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Runs that the kernel left out because the program was running on that CPU already.',
    attributes: ['program'],
  },
  accountingEvents: {
    name: 'wattfeed.accounting.events',
    unit: '{event}',
    kind: 'counter',
    stability: 'alpha',
    description: 'What the accounting saw: switches, forks, exits, flushes, moves between cgroups.',
    attributes: ['event'],
  },
  accountingLosses: {
    name: 'wattfeed.accounting.losses',
    unit: '{event}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Events in which time or energy could not be given to its owner; it stays in a remainder and totals stay whole. Alert on any rise that lasts. In the kernel: `storage_misses` (a task not known yet), `discontinuities` (a switch not seen), `storage_failed`, `slots_exhausted`, `overflow_cgroup_full`. In the agent: `process_overflow_rows`, `cgroup_overflow_rows`, `thread_overflow_rows` (over a cap), `inconsistent_balances`, `ledger_defects`, `undecodable_batches` (defects, logged).',
    attributes: ['event'],
  },
  slotsUsed: {
    name: 'wattfeed.slots.used',
    unit: '{slot}',
    kind: 'updowncounter',
    stability: 'alpha',
    description: 'Slots of the task table in use.',
    attributes: [],
  },
  slotsLimit: {
    name: 'wattfeed.slots.limit',
    unit: '{slot}',
    kind: 'updowncounter',
    stability: 'alpha',
    description: 'Slots of the task table that can be taken: one less than `accounting.max_tasks`.',
    attributes: [],
  },
  modelState: {
    name: 'wattfeed.model.state',
    unit: '1',
    kind: 'gauge',
    stability: 'alpha',
    description:
      'Which coefficients the counter model splits a package’s energy with: 1 for those in use, 0 for the others.',
    attributes: ['package', 'coefficients'],
  },
  modelError: {
    name: 'wattfeed.model.error',
    unit: '1',
    kind: 'gauge',
    stability: 'alpha',
    description:
      'One-step-ahead error over the last 60 windows that taught something, relative to the mean energy above idle: what the coefficients predicted of a package before it was measured. For `prior` and, once calibrated, for `calibrated`.',
    attributes: ['package', 'coefficients'],
  },
  countedRatio: {
    name: 'wattfeed.split.counted',
    unit: '1',
    kind: 'gauge',
    stability: 'alpha',
    description:
      'Part of the last window’s task time whose hardware counters were read; the rest was split by CPU time.',
    attributes: ['hwId'],
  },
  exportPoints: {
    name: 'wattfeed.export.points',
    unit: '{point}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Data points by result: `delivered`, `dropped` (the export failed) or `rejected` (the collector accepted the message but not these points).',
    attributes: ['result'],
  },
  exportFailures: {
    name: 'wattfeed.export.failures',
    unit: '{export}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Failed export requests by reason: the gRPC status (`unavailable`, `deadline_exceeded`, `resource_exhausted`, …), `skipped` (not tried, because one before it failed in the same interval) or `other`.',
    attributes: ['reason'],
  },
  exportRebuilds: {
    name: 'wattfeed.export.rebuilds',
    unit: '{channel}',
    kind: 'counter',
    stability: 'alpha',
    description: 'Connections to the collector thrown away and built anew after repeated failures.',
    attributes: [],
  },
  exportSeries: {
    name: 'wattfeed.export.series',
    unit: '{series}',
    kind: 'updowncounter',
    stability: 'alpha',
    description: 'Entities that have energy series of their own.',
    attributes: ['level'],
  },
  exportPooled: {
    name: 'wattfeed.export.pooled',
    unit: '{entity}',
    kind: 'updowncounter',
    stability: 'alpha',
    description:
      'Entities without series of their own; their energy is in the `otel.metric.overflow` series.',
    attributes: ['level'],
  },
  exportAnomalies: {
    name: 'wattfeed.export.anomalies',
    unit: '{event}',
    kind: 'counter',
    stability: 'alpha',
    description:
      'Things that must not happen and were repaired: `regression` (a total fell; the old value was kept), `final_dropped` (an ended series was given up before its last value was delivered), `collect_failed`.',
    attributes: ['event'],
  },
  agentCpuTime: {
    name: 'wattfeed.agent.cpu.time',
    unit: 's',
    kind: 'counter',
    stability: 'alpha',
    description: 'CPU time of the agent’s own process, BPF programs not included.',
    attributes: ['cpuMode'],
  },
  agentMemory: {
    name: 'wattfeed.agent.memory.resident',
    unit: 'By',
    kind: 'updowncounter',
    stability: 'alpha',
    description: 'Resident memory of the agent’s process.',
    attributes: [],
  },
} as const satisfies Record<string, Instrument>;
