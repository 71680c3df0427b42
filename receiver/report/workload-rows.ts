// SPDX-License-Identifier: Apache-2.0
/** Containers, pods, jobs and units as rows of a report, with what is in none of them. Pure. */
import { workloadOf } from '../attribution/workload-keys.js';
import type { WorkloadPart, WorkloadRow } from '../model/agent-report.js';
import { addEnergyRows } from '../model/energy-row.js';
import type {
  CgroupLevel,
  Rated,
  RatedLedgerView,
  Remainder,
  WorkloadFacts,
  WorkloadTotals,
} from '../model/ledger-view.js';
import { microjoules, nanos, windowNanos } from '../model/units.js';
import type { CgroupIdentity, PodRef } from '../model/workload.js';
import { energyRow, type RowWindow } from './energy-rows.js';

type Named = Pick<WorkloadRow, 'id' | 'name' | 'system' | 'within' | 'owner'>;

const podName = ({ name, namespace }: PodRef): string | undefined =>
  name === undefined || namespace === undefined ? name : `${namespace}/${name}`;

/** Undefined: users and command names have rows of their own. */
const namesOf = (facts: WorkloadFacts): Named | undefined => {
  switch (facts._tag) {
    case 'container': {
      const { container, outerContainers, pod } = facts;
      const around = outerContainers.at(-1)?.id;
      const within = around ?? (pod && (podName(pod) ?? pod.uid)) ?? null;
      const { id, name = null, runtime = null } = container;
      return { id, name, system: runtime, within, owner: null };
    }
    case 'pod': {
      const { uid, system, qos = null } = facts.pod;
      return { id: uid, name: podName(facts.pod) ?? null, system, within: qos, owner: null };
    }
    case 'job':
      return {
        id: facts.id,
        name: null,
        system: facts.system,
        within: null,
        owner: facts.user ?? null,
      };
    case 'unit': {
      const { unit, slice, user = null, containerId } = facts;
      const within = containerId ?? slice ?? null;
      return { id: unit.name, name: null, system: unit.manager, within, owner: user };
    }
    case 'user':
    case 'name':
      return undefined;
  }
};

/** Living processes by the key of what they are in. */
const processCounts = (
  ledger: RatedLedgerView,
  level: CgroupLevel,
): ReadonlyMap<string, number> => {
  const keys = new Map<CgroupIdentity, string | undefined>();
  const counts = new Map<string, number>();
  for (const { identity, isExited } of ledger.processes()) {
    const { workload, uid } = identity;
    if (workload === undefined || isExited) continue;
    if (!keys.has(workload)) keys.set(workload, workloadOf(level, workload, uid, String)?.key);
    const key = keys.get(workload);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
};

const combined = (a: Rated<Remainder>, b: Rated<Remainder>, sign: 1n | -1n): Rated<Remainder> => ({
  energy: {
    package: microjoules(a.energy.package + sign * b.energy.package),
    dram: microjoules(a.energy.dram + sign * b.energy.dram),
  },
  cpuNanos: nanos(a.cpuNanos + sign * b.cpuNanos),
  lastWindow: {
    energy: {
      package: microjoules(a.lastWindow.energy.package + sign * b.lastWindow.energy.package),
      dram: microjoules(a.lastWindow.energy.dram + sign * b.lastWindow.energy.dram),
    },
    cpuNanos: windowNanos(a.lastWindow.cpuNanos + Number(sign) * b.lastWindow.cpuNanos),
  },
});

const NOTHING: Rated<Remainder> = {
  energy: { package: microjoules(0n), dram: microjoules(0n) },
  cpuNanos: nanos(0n),
  lastWindow: {
    energy: { package: microjoules(0n), dram: microjoules(0n) },
    cpuNanos: windowNanos(0),
  },
};

const sumOf = (parts: Iterable<Rated<Remainder>>): Rated<Remainder> => {
  let sum = NOTHING;
  for (const part of parts) sum = combined(sum, part, 1n);
  return sum;
};

const partOf = (
  level: CgroupLevel,
  ledger: RatedLedgerView,
  everything: Rated<Remainder>,
  window: RowWindow,
): WorkloadPart => {
  const entries: readonly Rated<WorkloadTotals>[] = [...ledger.workloads(level)];
  const counts = entries.length === 0 ? undefined : processCounts(ledger, level);
  const over = ledger.overflowWorkloads(level);
  const gone = ledger.exitedWorkloads(level);
  let exited = energyRow(gone, window);
  const rows: WorkloadRow[] = [];
  for (const entry of entries) {
    const named = namesOf(entry.facts);
    const row = energyRow(entry, window);
    if (named === undefined || (entry.isExited && row.cpuRatio === 0)) {
      exited = addEnergyRows(exited, row);
    } else rows.push({ ...row, ...named, processCount: counts?.get(entry.key) ?? 0 });
  }
  const inSome = sumOf([...entries, gone, over]);
  return {
    rows,
    exited,
    overflow: energyRow(over, window),
    none: energyRow(combined(everything, inSome, -1n), window),
  };
};

/** Cost: one pass over the cgroups, and one over the processes for each level that there is. */
export const workloadParts = (
  ledger: RatedLedgerView,
  window: RowWindow,
): Readonly<Record<CgroupLevel, WorkloadPart>> => {
  const everything = sumOf([
    ...ledger.cgroups(),
    ledger.exitedCgroups(),
    ledger.overflow().cgroups,
  ]);
  const part = (level: CgroupLevel): WorkloadPart => partOf(level, ledger, everything, window);
  return { container: part('container'), pod: part('pod'), job: part('job'), unit: part('unit') };
};
