// SPDX-License-Identifier: Apache-2.0
/**
 * The machines that tests know. Trees are small but laid out as the kernel does; powers are what the
 * probe "saw". Hand-made after the kernel's ABI documents and bug reports, not dumped from a machine.
 */
import type { Liveness } from '../../../receiver/energy/liveness.js';
import {
  cgroupHybridTree,
  cgroupV2Tree,
  corePmuTree,
  cpuTree,
  perfTree,
  placesOf,
  powercapTree,
  procTree,
  tree,
  type Entry,
  type Tree,
} from './tree.js';

export interface Machine {
  readonly name: string;
  readonly tree: Tree;
  /** What two real readings of each candidate would have told. */
  readonly liveness: Readonly<Record<string, Liveness>>;
  /** Kernel features that are missing here, with the error met. */
  readonly missingFeatures?: Readonly<Record<string, string>>;
}

let nextRaw = 1_000_000n;
const alive = (watts: number): Liveness => {
  nextRaw += 7_777_777n;
  return { _tag: 'Alive', watts, lastRaw: nextRaw };
};
const still = (value = 0n): Liveness => ({ _tag: 'Still', lastRaw: value });
const denied: Liveness = { _tag: 'Failed', reason: 'permission', detail: 'EACCES' };

const x86 = (
  vendor: string,
  family: number,
  model: number,
  name: string,
  flags = 'fpu sse2 avx2',
): readonly string[] => [
  'processor\t: 0',
  `vendor_id\t: ${vendor}`,
  `cpu family\t: ${String(family)}`,
  `model\t\t: ${String(model)}`,
  `model name\t: ${name}`,
  `flags\t\t: ${flags}`,
];

const serverLimits = (limit: number): Readonly<Record<string, readonly [string, string]>> => ({
  long_term: [`${String(limit)}000000`, `${String(limit)}000000`],
  short_term: [`${String(limit * 1.2)}000000`, `${String(limit * 2)}000000`],
});

const DRAM_RANGE = '65712999613';

const intelServer: Machine = {
  name: 'intel-server-2s',
  tree: tree(
    cpuTree(placesOf({ packages: 2, coresPerPackage: 2, threadsPerCore: 2 })),
    procTree({
      kernel: '6.1.0-28-amd64',
      cpuinfo: x86('GenuineIntel', 6, 106, 'Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz'),
    }),
    cgroupV2Tree(),
    corePmuTree('cpu', 4, '0-7'),
    perfTree('power', 24, '0,2', ['energy-pkg', 'energy-ram']),
    powercapTree([
      { id: 'intel-rapl:0', name: 'package-0', constraints: serverLimits(205) },
      { id: 'intel-rapl:0:0', name: 'dram', range: DRAM_RANGE },
      { id: 'intel-rapl:1', name: 'package-1', constraints: serverLimits(205) },
      { id: 'intel-rapl:1:0', name: 'dram', range: DRAM_RANGE },
    ]),
    {
      'sys/class/hwmon/hwmon0/name': 'power_meter',
      'sys/class/hwmon/hwmon0/device/power1_average': '412000000',
      'sys/class/hwmon/hwmon1/name': 'nvme',
      'sys/class/hwmon/hwmon1/temp1_input': '38000',
      'sys/class/hwmon/hwmon2/name': 'amdgpu',
      'sys/class/hwmon/hwmon2/power1_average': '9000000',
      'sys/class/hwmon/hwmon2/power1_label': 'PPT',
      'sys/class/dmi/id/sys_vendor': 'Dell Inc.',
      'sys/class/dmi/id/product_name': 'PowerEdge R750',
    },
  ),
  liveness: {
    'power/energy-pkg:0': alive(118),
    'power/energy-pkg:1': alive(96.4),
    'power/energy-ram:0': alive(14.2),
    'power/energy-ram:1': alive(11.9),
    'intel-rapl:0': alive(118),
    'intel-rapl:0:0': alive(14.2),
    'intel-rapl:1': alive(96.4),
    'intel-rapl:1:0': alive(11.9),
    'hwmon/power_meter/power1': alive(412),
  },
};

const hybridPlaces = [
  ...placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 2 }),
  { cpu: 4, packageId: 0, dieId: 0, coreId: 8, siblings: [4] },
  { cpu: 5, packageId: 0, dieId: 0, coreId: 9, siblings: [5] },
];

const clientLimits = {
  long_term: ['28000000', '28000000'],
  short_term: ['64000000', '0'],
  peak_power: ['140000000', '0'],
} as const;

const intelClient: Machine = {
  name: 'intel-client',
  tree: tree(
    cpuTree(hybridPlaces),
    procTree({
      kernel: '6.8.0-49-generic',
      cpuinfo: x86('GenuineIntel', 6, 154, '12th Gen Intel(R) Core(TM) i7-1260P'),
    }),
    cgroupV2Tree(),
    corePmuTree('cpu_core', 4, '0-3'),
    corePmuTree('cpu_atom', 10, '4-5'),
    perfTree('power', 22, '0', ['energy-cores', 'energy-gpu', 'energy-pkg', 'energy-psys']),
    powercapTree([
      { id: 'intel-rapl:0', name: 'package-0', constraints: clientLimits },
      { id: 'intel-rapl:0:0', name: 'core' },
      { id: 'intel-rapl:0:1', name: 'uncore' },
      { id: 'intel-rapl:1', name: 'psys', constraints: { long_term: ['0', '0'] } },
      { id: 'intel-rapl-mmio:0', name: 'package-0', constraints: clientLimits },
    ]),
    { 'sys/kernel/security/lockdown': 'none [integrity] confidentiality' },
  ),
  liveness: {
    'power/energy-pkg:0': alive(9.61),
    'power/energy-cores:0': alive(4.2),
    'power/energy-gpu:0': still(),
    'power/energy-psys:0': alive(14.4),
    'intel-rapl:0': alive(9.61),
    'intel-rapl:0:0': alive(4.2),
    'intel-rapl:0:1': still(),
    'intel-rapl:1': alive(14.4),
    'intel-rapl-mmio:0': alive(9.61),
  },
};

const amdServer: Machine = {
  name: 'amd-server',
  tree: tree(
    cpuTree(placesOf({ packages: 1, coresPerPackage: 4, threadsPerCore: 2 })),
    procTree({
      kernel: '5.14.0-503.el9.x86_64',
      cpuinfo: x86('AuthenticAMD', 25, 1, 'AMD EPYC 7763 64-Core Processor'),
    }),
    cgroupV2Tree(),
    corePmuTree('cpu', 4, '0-7'),
    perfTree('power', 14, '0', ['energy-pkg']),
    perfTree('power_core', 15, '0-3', ['energy-core']),
    powercapTree([
      // The driver offers no limits on AMD.
      { id: 'intel-rapl:0', name: 'package-0', range: '65532610987' },
      { id: 'intel-rapl:0:0', name: 'core', range: '65532610987' },
    ]),
  ),
  liveness: {
    'power/energy-pkg:0': alive(131),
    'intel-rapl:0': alive(131),
    'intel-rapl:0:0': alive(2.1),
  },
};

const graceMeter = (
  index: number,
  label: string,
  microwatts: string,
): Readonly<Record<string, Entry>> => ({
  [`sys/class/hwmon/hwmon${String(index)}/name`]: 'power_meter',
  [`sys/class/hwmon/hwmon${String(index)}/device/power1_average`]: microwatts,
  [`sys/class/hwmon/hwmon${String(index)}/device/power1_oem_info`]: label,
});

const armServer: Machine = {
  name: 'arm-grace',
  tree: tree(
    cpuTree(placesOf({ packages: 2, coresPerPackage: 2, threadsPerCore: 1 })),
    procTree({
      kernel: '6.8.0-1019-nvidia-64k',
      cpuinfo: [
        'processor\t: 0',
        'BogoMIPS\t: 2000.00',
        'CPU implementer\t: 0x41',
        'CPU architecture: 8',
        'CPU part\t: 0xd4f',
      ],
    }),
    cgroupV2Tree(),
    corePmuTree('armv8_pmuv3_0', 8, '0-3'),
    graceMeter(1, 'Module Power Socket 0', '160000000'),
    graceMeter(2, 'Grace Power Socket 0', '98000000'),
    graceMeter(3, 'CPU Power Socket 0', '41000000'),
    graceMeter(4, 'SysIO Power Socket 0', '14000000'),
    graceMeter(5, 'Grace Power Socket 1', '95000000'),
    graceMeter(6, 'CPU Power Socket 1', '39000000'),
    graceMeter(7, 'SysIO Power Socket 1', '13000000'),
  ),
  liveness: {
    'hwmon/power_meter/grace-power-socket-0': alive(98),
    'hwmon/power_meter/cpu-power-socket-0': alive(41),
    'hwmon/power_meter/sysio-power-socket-0': alive(14),
    'hwmon/power_meter/grace-power-socket-1': alive(95),
    'hwmon/power_meter/cpu-power-socket-1': alive(39),
    'hwmon/power_meter/sysio-power-socket-1': alive(13),
  },
};

const vmBare: Machine = {
  name: 'vm-bare',
  tree: tree(
    cpuTree(placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 })),
    procTree({
      kernel: '5.4.0-200-generic',
      cpuinfo: x86('AuthenticAMD', 25, 1, 'AMD EPYC', 'fpu sse2 avx2 hypervisor'),
      mounts: ['tmpfs /sys/fs/cgroup tmpfs rw 0 0'],
    }),
    cgroupHybridTree(),
    {
      'sys/class/dmi/id/sys_vendor': 'QEMU',
      'sys/class/dmi/id/product_name': 'Standard PC (Q35 + ICH9, 2009)',
    },
  ),
  liveness: {},
  missingFeatures: {
    task_storage: 'EINVAL: unknown map type 29',
    bpffs: 'ENOENT: /sys/fs/bpf is no bpf file system',
  },
};

const vmDeadPmu: Machine = {
  name: 'vm-dead-pmu',
  tree: tree(
    cpuTree(placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 2 })),
    procTree({
      kernel: '6.18.0',
      cpuinfo: x86('GenuineIntel', 6, 207, 'INTEL(R) XEON(R) PLATINUM 8581C CPU', 'fpu hypervisor'),
    }),
    cgroupV2Tree(),
    perfTree('power', 9, '0', ['energy-psys']),
    { 'sys/class/dmi/id/product_name': 'Google Compute Engine' },
  ),
  liveness: { 'power/energy-psys:0': still() },
};

const laptop: Machine = {
  name: 'laptop-battery',
  tree: tree(
    cpuTree(placesOf({ packages: 1, coresPerPackage: 4, threadsPerCore: 2 })),
    procTree({
      kernel: '6.11.5-200.fc40.x86_64',
      cpuinfo: x86('GenuineIntel', 6, 142, 'Intel(R) Core(TM) i5-8250U CPU @ 1.60GHz'),
      // A user with CAP_BPF alone: no perf, no reading of root's files.
      capabilities: '0000008000000000',
      pidNamespace: 4026532201,
    }),
    cgroupV2Tree(),
    corePmuTree('cpu', 4, '0-7'),
    perfTree('power', 21, '0', ['energy-pkg']),
    powercapTree([
      { id: 'intel-rapl:0', name: 'package-0', constraints: clientLimits },
      { id: 'intel-rapl:0:0', name: 'core' },
      { id: 'intel-rapl:0:1', name: 'uncore' },
      { id: 'intel-rapl:0:2', name: 'dram' },
    ]),
    {
      'sys/class/power_supply/AC/type': 'Mains',
      'sys/class/power_supply/BAT0/type': 'Battery',
      'sys/class/power_supply/BAT0/status': 'Discharging',
      'sys/class/power_supply/BAT0/current_now': '742000',
      'sys/class/power_supply/BAT0/voltage_now': '11842000',
      'sys/class/power_supply/hidpp_battery_0/type': 'Battery',
      'sys/class/power_supply/hidpp_battery_0/scope': 'Device',
    },
  ),
  liveness: {
    'power/energy-pkg:0': denied,
    'intel-rapl:0': denied,
    'intel-rapl:0:0': denied,
    'intel-rapl:0:1': denied,
    'intel-rapl:0:2': denied,
    'power_supply/battery': alive(0),
  },
  missingFeatures: {
    cap_perfmon: 'EPERM',
    initial_pid_namespace: "EXDEV: not the host's",
    perf_events: 'EACCES',
  },
};

export const MACHINES: readonly Machine[] = [
  intelServer,
  intelClient,
  amdServer,
  armServer,
  vmBare,
  vmDeadPmu,
  laptop,
];
