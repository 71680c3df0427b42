// SPDX-License-Identifier: Apache-2.0
/** Pieces of sysfs, procfs and cgroupfs as the kernel lays them out, as a map from path to content. */

/** A file's text without its newline, or a symbolic link's target. */
export type Entry = string | { readonly target: string };
export type Tree = ReadonlyMap<string, Entry>;

export const tree = (...parts: readonly Entries[]): Tree =>
  new Map(parts.flatMap((part) => Object.entries(part)));

type Entries = Readonly<Record<string, Entry>>;

const merge = (parts: readonly Entries[]): Entries =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part)));

const below = (directory: string, entries: Entries): Entries =>
  Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [`${directory}/${name}`, entry]),
  );

export interface CpuShape {
  readonly packages: number;
  readonly diesPerPackage?: number;
  readonly coresPerPackage: number;
  readonly threadsPerCore: number;
}

interface Place {
  readonly cpu: number;
  readonly packageId: number;
  readonly dieId: number;
  readonly coreId: number;
  readonly siblings: readonly number[];
}

/** Numbered as Linux does on x86 servers: first all first threads, then all second threads. */
export const placesOf = (shape: CpuShape): readonly Place[] => {
  const cores = shape.packages * shape.coresPerPackage;
  const dies = shape.diesPerPackage ?? 1;
  return Array.from({ length: cores * shape.threadsPerCore }, (_unused, cpu) => {
    const core = cpu % cores;
    const coreId = core % shape.coresPerPackage;
    return {
      cpu,
      packageId: Math.floor(core / shape.coresPerPackage),
      dieId: Math.floor((coreId * dies) / shape.coresPerPackage),
      coreId,
      siblings: Array.from({ length: shape.threadsPerCore }, (_none, t) => core + t * cores),
    };
  });
};

export const cpuTree = (places: readonly Place[]): Entries => {
  const last = places.length - 1;
  const range = last === 0 ? '0' : `0-${String(last)}`;
  const nodes = new Map<number, number[]>();
  for (const { cpu, packageId } of places)
    nodes.set(packageId, [...(nodes.get(packageId) ?? []), cpu]);
  return {
    'sys/devices/system/cpu/possible': range,
    'sys/devices/system/cpu/online': range,
    ...merge(
      places.map((place) =>
        below(`sys/devices/system/cpu/cpu${String(place.cpu)}/topology`, {
          physical_package_id: String(place.packageId),
          die_id: String(place.dieId),
          core_id: String(place.coreId),
          thread_siblings_list: place.siblings.join(','),
        }),
      ),
    ),
    ...Object.fromEntries(
      [...nodes].map(([node, cpus]) => [
        `sys/devices/system/node/node${String(node)}/cpulist`,
        cpus.join(','),
      ]),
    ),
  };
};

export interface ZoneShape {
  readonly id: string;
  readonly name: string;
  readonly range?: string;
  /** name -> [power_limit_uw, max_power_uw]; empty text: the file is there and says nothing useful. */
  readonly constraints?: Readonly<Record<string, readonly [string, string]>>;
}

const zonePath = (id: string): string => {
  const type = id.replace(/(?::\d+)+$/, '');
  const numbers = id.slice(type.length + 1).split(':');
  const chain = numbers.map((_n, depth) => `${type}:${numbers.slice(0, depth + 1).join(':')}`);
  return ['sys/devices/virtual/powercap', type, ...chain].join('/');
};

export const powercapTree = (zones: readonly ZoneShape[]): Entries => {
  const entries: Record<string, Entry> = {};
  zones.forEach(({ id, name, range = '262143328850', constraints = {} }, place) => {
    const type = id.replace(/(?::\d+)+$/, '');
    entries[`sys/devices/virtual/powercap/${type}/enabled`] = '1';
    entries[`sys/class/powercap/${type}`] = { target: `../../devices/virtual/powercap/${type}` };
    const directory = zonePath(id);
    entries[`sys/class/powercap/${id}`] = { target: directory.replace('sys/', '../../') };
    Object.assign(
      entries,
      below(directory, {
        name,
        energy_uj: String(1_000_000_000 + place * 77_777),
        max_energy_range_uj: range,
        ...merge(
          Object.entries(constraints).map(([label, [limit, most]], index) => ({
            [`constraint_${String(index)}_name`]: label,
            [`constraint_${String(index)}_power_limit_uw`]: limit,
            [`constraint_${String(index)}_max_power_uw`]: most,
          })),
        ),
      }),
    );
  });
  return entries;
};

/** RAPL events of the kernel: number, and the scale that is exactly 2^-32 J. */
const EVENT_NUMBERS: Readonly<Record<string, string>> = {
  'energy-cores': '0x01',
  'energy-core': '0x01',
  'energy-pkg': '0x02',
  'energy-ram': '0x03',
  'energy-gpu': '0x04',
  'energy-psys': '0x05',
};
const SCALE = '2.3283064365386962890625e-10';

export const perfTree = (
  pmu: string,
  type: number,
  cpumask: string,
  events: readonly string[],
): Entries =>
  below(`sys/bus/event_source/devices/${pmu}`, {
    type: String(type),
    cpumask,
    'format/event': 'config:0-7',
    ...merge(
      events.map((name) => ({
        [`events/${name}`]: `event=${EVENT_NUMBERS[name] ?? '0x00'}`,
        [`events/${name}.scale`]: SCALE,
        [`events/${name}.unit`]: 'Joules',
      })),
    ),
  });

export const corePmuTree = (name: string, type: number, cpus: string): Entries => ({
  [`sys/bus/event_source/devices/${name}/type`]: String(type),
  [`sys/bus/event_source/devices/${name}/cpus`]: cpus,
  [`sys/devices/${name}/cpus`]: cpus,
});

export interface ProcShape {
  readonly kernel: string;
  /** Effective capabilities; all by default. */
  readonly capabilities?: string;
  readonly paranoid?: number;
  readonly pidNamespace?: number;
  readonly mounts?: readonly string[];
  readonly cpuinfo: readonly string[];
}

const ALL_CAPABILITIES = '000001ffffffffff';
const INITIAL_PID_NAMESPACE = 4026531836;

export const procTree = (shape: ProcShape): Entries => ({
  'proc/cpuinfo': shape.cpuinfo.join('\n'),
  'proc/sys/kernel/osrelease': shape.kernel,
  'proc/sys/kernel/hostname': 'fixture',
  'proc/sys/kernel/perf_event_paranoid': String(shape.paranoid ?? 2),
  'proc/self/status': `Name:\twattfeed\nCapEff:\t${shape.capabilities ?? ALL_CAPABILITIES}`,
  'proc/self/ns/pid': { target: `pid:[${String(shape.pidNamespace ?? INITIAL_PID_NAMESPACE)}]` },
  'proc/self/mounts': (shape.mounts ?? ['bpf /sys/fs/bpf bpf rw 0 0']).join('\n'),
  'sys/kernel/btf/vmlinux': 'stands for the kernel types: its presence is all that is asked',
});

export const cgroupV2Tree = (): Entries => ({
  'sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory hugetlb pids rdma misc',
  'sys/fs/cgroup/cgroup.procs': '1',
  'sys/fs/cgroup/system.slice/cgroup.procs': '',
  'sys/fs/cgroup/system.slice/ssh.service/cgroup.procs': '411',
});

/** systemd's hybrid layout: containers in the v1 controllers, only units in the v2 tree. */
export const cgroupHybridTree = (): Entries => {
  const entries: Record<string, Entry> = {
    'sys/fs/cgroup/unified/cgroup.controllers': '',
    'sys/fs/cgroup/unified/cgroup.procs': '1',
    'sys/fs/cgroup/unified/system.slice/cgroup.procs': '',
    'sys/fs/cgroup/cpuacct': { target: 'cpu,cpuacct' },
    'sys/fs/cgroup/cpu': { target: 'cpu,cpuacct' },
  };
  for (const controller of ['cpu,cpuacct', 'memory', 'freezer']) {
    entries[`sys/fs/cgroup/${controller}/cgroup.procs`] = '1';
    if (controller !== 'freezer')
      for (const id of ['0f1e', '2d3c'])
        entries[`sys/fs/cgroup/${controller}/docker/${id.repeat(16)}/cgroup.procs`] = '2001';
  }
  return entries;
};
