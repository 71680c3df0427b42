// SPDX-License-Identifier: Apache-2.0
/**
 * Reads which CPUs share cores and packages. A machine that does not say (containers without
 * sysfs, odd VMs) degrades to one package without SMT and says so in `notes`.
 */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Complaint } from '../model/errors.js';
import type { CpuDomain, HostCpu, HostTopology } from '../model/host-topology.js';
import { readCoreTypes } from './core-types.js';
import { formatCpuList, parseCpuList } from './cpu-list.js';
import { readText } from './files.js';
import type { HostRoots } from './roots.js';
import { namesIn } from './values.js';

/** RECORDS_CPU_DOMAINS_MAX of bpf/include/records.h. */
export const CPU_DOMAINS_MAX = 16;

export interface TopologyReading {
  readonly topology: HostTopology;
  /** What could not be read or had to be simplified; empty on a usual machine. */
  readonly notes: readonly Complaint[];
  /** At least one online core has two or more hardware threads. */
  readonly hasSmt: boolean;
  readonly isHybrid: boolean;
  readonly coreTypes: readonly string[];
}

/** A CPU as sysfs has it, before packages and core types are combined to domains. */
type RawCpu = Omit<HostCpu, 'cpuDomain'> & { readonly isKnown: boolean };

const readNumber = (path: string): number | undefined =>
  pipe(
    readText(path),
    E.map((text) => (/^-?\d+$/.test(text.trim()) ? Number(text) : undefined)),
    E.getOrElse((): number | undefined => undefined),
  );

const readList = (path: string): readonly number[] =>
  pipe(
    readText(path),
    E.map(parseCpuList),
    E.getOrElse((): readonly number[] => []),
  );

const cpusOfProcfs = (procfs: string): readonly number[] =>
  pipe(
    readText(`${procfs}/cpuinfo`),
    E.map((text) => [...text.matchAll(/^processor\s*:\s*(\d+)\s*$/gm)].map((m) => Number(m[1]))),
    E.getOrElse((): readonly number[] => []),
  );

const readNodes = (sysfs: string): ReadonlyMap<number, number> => {
  const nodeOfCpu = new Map<number, number>();
  const directory = `${sysfs}/devices/system/node`;
  const names = namesIn(directory);
  for (const name of names) {
    const match = /^node(\d+)$/.exec(name);
    if (match === null) continue;
    for (const cpu of readList(`${directory}/${name}/cpulist`))
      nodeOfCpu.set(cpu, Number(match[1]));
  }
  return nodeOfCpu;
};

const readCpu = (
  sysfs: string,
  cpu: number,
  place: { isOnline: boolean; nodeId: number; coreType: string },
): { readonly raw: RawCpu; readonly threads: number } => {
  const directory = `${sysfs}/devices/system/cpu/cpu${String(cpu)}/topology`;
  const packageId = readNumber(`${directory}/physical_package_id`);
  const siblings = readList(`${directory}/thread_siblings_list`);
  const others = siblings.filter((sibling) => sibling !== cpu);
  const raw: RawCpu = {
    cpu,
    // -1 where firmware does not say (arm64 without PPTT).
    packageId: Math.max(0, packageId ?? 0),
    dieId: Math.max(0, readNumber(`${directory}/die_id`) ?? 0),
    coreId: Math.max(0, readNumber(`${directory}/core_id`) ?? cpu),
    nodeId: place.nodeId,
    coreType: place.coreType,
    smtSibling: others.length === 1 && siblings.includes(cpu) ? others[0] : undefined,
    isOnline: place.isOnline,
    isKnown: packageId !== undefined,
  };
  return { raw, threads: siblings.length };
};

const domainKey = (cpu: { packageId: number; coreType: string; nodeId: number }): string =>
  `${String(cpu.packageId)}/${cpu.coreType}/${String(cpu.nodeId)}`;

/** Numbers the (package, core type, node) triples in order of package, then of first CPU. Never more than CPU_DOMAINS_MAX. */
const domainsOf = (cpus: readonly RawCpu[]): readonly CpuDomain[] => {
  const sorted = [...cpus].sort((a, b) => a.packageId - b.packageId || a.cpu - b.cpu);
  const seen = new Map<string, CpuDomain>();
  for (const { packageId, coreType, nodeId } of sorted) {
    const key = domainKey({ packageId, coreType, nodeId });
    if (!seen.has(key)) seen.set(key, { index: seen.size, packageId, coreType, nodeId });
  }
  return [...seen.values()];
};

interface Assigned {
  readonly cpus: readonly HostCpu[];
  readonly cpuDomains: readonly CpuDomain[];
  readonly notes: readonly Complaint[];
}

/** What is no longer kept apart, in the order in which it is given up. */
const MERGES: readonly {
  readonly merge: (cpus: readonly RawCpu[]) => readonly RawCpu[];
  readonly cause: string;
}[] = [
  {
    merge: (cpus) => {
      const firstNode = new Map<number, number>();
      for (const { packageId, nodeId } of cpus)
        firstNode.set(packageId, Math.min(firstNode.get(packageId) ?? nodeId, nodeId));
      return cpus.map((cpu) => ({ ...cpu, nodeId: firstNode.get(cpu.packageId) ?? cpu.nodeId }));
    },
    cause: 'the NUMA nodes of a package are not kept apart',
  },
  {
    merge: (cpus) => cpus.map((cpu) => ({ ...cpu, coreType: 'cpu' })),
    cause: 'core types are not kept apart',
  },
];

/** Beyond CPU_DOMAINS_MAX first nodes, then core types go, then the last packages share one domain. */
const assignDomains = (raw: readonly RawCpu[]): Assigned => {
  const notes: Complaint[] = [];
  let cpus = raw;
  let domains = domainsOf(cpus);
  for (const { merge, cause } of MERGES) {
    if (domains.length <= CPU_DOMAINS_MAX) break;
    const merged = merge(cpus);
    const fewer = domainsOf(merged);
    if (fewer.length === domains.length) continue;
    [cpus, domains] = [merged, fewer];
    notes.push({
      what: 'read cpu topology',
      cause: `more than ${String(CPU_DOMAINS_MAX)} triples of package, core type and NUMA node: ${cause}`,
      remedy: '',
    });
  }
  if (domains.length > CPU_DOMAINS_MAX)
    notes.push({
      what: 'read cpu topology',
      cause: `${String(domains.length)} packages: those from the ${String(CPU_DOMAINS_MAX)}th on are accounted as one`,
      remedy: '',
    });
  const indexOf = new Map(domains.map((domain) => [domainKey(domain), domain.index]));
  const nodeOf = new Map(raw.map(({ cpu, nodeId }) => [cpu, nodeId]));
  return {
    cpus: cpus.map(({ isKnown: _isKnown, ...cpu }) => ({
      ...cpu,
      nodeId: nodeOf.get(cpu.cpu) ?? cpu.nodeId,
      cpuDomain: Math.min(indexOf.get(domainKey(cpu)) ?? 0, CPU_DOMAINS_MAX - 1),
    })),
    cpuDomains: domains.slice(0, CPU_DOMAINS_MAX),
    notes,
  };
};

const notesOf = (cpus: readonly RawCpu[], threadsMax: number): readonly Complaint[] => {
  const notes: Complaint[] = [];
  const unknown = cpus.filter((cpu) => cpu.isOnline && !cpu.isKnown).map((cpu) => cpu.cpu);
  if (unknown.length > 0)
    notes.push({
      what: `read topology of cpu ${formatCpuList(unknown)}`,
      cause: 'no physical_package_id in sysfs; taken as package 0 without SMT',
      remedy: 'mount the host /sys and pass it as --sysfs-root',
    });
  if (threadsMax > 2)
    notes.push({
      what: 'read thread siblings',
      cause: `${String(threadsMax)} hardware threads per core: overlap is known for two only and is left out`,
      remedy: '',
    });
  return notes;
};

/**
 * All possible CPUs, in order; `cpus[i].cpu === i` unless the machine numbers them with gaps.
 * An offline CPU has no topology in sysfs: it counts as the lowest package until the agent restarts.
 */
export const readTopology = (roots: HostRoots): TopologyReading => {
  const base = `${roots.sysfs}/devices/system/cpu`;
  const possible = readList(`${base}/possible`);
  const online = readList(`${base}/online`);
  const listed = possible.length > 0 ? possible : online;
  const all = listed.length > 0 ? listed : cpusOfProcfs(roots.procfs);
  const isOnline = new Set(online.length > 0 ? online : all);
  const nodes = readNodes(roots.sysfs);
  const types = readCoreTypes(roots.sysfs);

  const read = (all.length > 0 ? all : [0]).map((cpu) =>
    readCpu(roots.sysfs, cpu, {
      isOnline: all.length === 0 || isOnline.has(cpu),
      nodeId: nodes.get(cpu) ?? 0,
      coreType: types.get(cpu) ?? 'cpu',
    }),
  );
  const known = read.filter(({ raw }) => raw.isOnline).map(({ raw }) => raw.packageId);
  const lowest = known.length > 0 ? Math.min(...known) : 0;
  const raw = read.map(({ raw: cpu }) => (cpu.isKnown ? cpu : { ...cpu, packageId: lowest }));
  const threadsMax = Math.max(...read.map(({ threads }) => threads));
  const assigned = assignDomains(raw);
  const coreTypes = [...new Set(assigned.cpuDomains.map((domain) => domain.coreType))];
  return {
    topology: {
      cpus: assigned.cpus,
      cpuDomains: assigned.cpuDomains,
      packageIds: [...new Set(raw.filter((c) => c.isOnline).map((c) => c.packageId))].sort(
        (a, b) => a - b,
      ),
    },
    notes: [...notesOf(raw, threadsMax), ...assigned.notes],
    hasSmt: threadsMax > 1,
    isHybrid: coreTypes.length > 1,
    coreTypes,
  };
};
