// SPDX-License-Identifier: Apache-2.0
/** What the user is told of counters that were planned and could not be opened. Pure. */
import type { CounterFault } from '../activity/port.js';
import { formatCpuList } from '../host/cpu-list.js';
import type { Complaint } from '../model/errors.js';

/** One per kind and error, whatever the number of CPUs. */
export const counterNotes = (faults: readonly CounterFault[]): readonly Complaint[] => {
  const cpusOf = new Map<string, { fault: CounterFault; cpus: number[] }>();
  for (const fault of faults) {
    const key = `${fault.kind} ${fault.code}`;
    const group = cpusOf.get(key) ?? { fault, cpus: [] };
    group.cpus.push(fault.cpu);
    cpusOf.set(key, group);
  }
  return [...cpusOf.values()].map(({ fault: { kind, code }, cpus }) => ({
    what: `count ${kind} on cpu ${formatCpuList(cpus)}`,
    cause: code,
    remedy:
      kind === 'cycles'
        ? 'what runs there is split by time; wattfeed check says more'
        : 'the other counters are used; wattfeed check says more',
  }));
};
