// SPDX-License-Identifier: Apache-2.0
/** What the kernel and the place we run in allow, as facts; read under the roots, nothing judged. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { chooseCgroupHierarchy, type CgroupHierarchy } from '../host/cgroup-hierarchy.js';
import { readLink } from '../host/files.js';
import type { HostRoots } from '../host/roots.js';
import { namesIn, textAt } from '../host/values.js';

export interface Capabilities {
  readonly bpf: boolean;
  readonly perfmon: boolean;
  readonly sysAdmin: boolean;
  readonly dacReadSearch: boolean;
}

export interface CheckEnvironment {
  readonly kernelRelease: string;
  readonly hasBtf: boolean;
  /** undefined: /proc does not say. */
  readonly capabilities: Capabilities | undefined;
  readonly hasBpffs: boolean;
  /** `none`, `integrity`, `confidentiality`; undefined where the kernel has no lockdown. */
  readonly lockdown: string | undefined;
  readonly perfEventParanoid: number | undefined;
  /** undefined: /proc does not say. */
  readonly isInitialPidNamespace: boolean | undefined;
  /** Core PMUs that count cycles and instructions: `cpu`, `cpu_core`, `armv8_pmuv3_0`, … */
  readonly corePmus: readonly string[];
  readonly cgroup: CgroupHierarchy;
  readonly hasNmiWatchdog: boolean;
}

/** PROC_PID_INIT_INO of the kernel's include/linux/proc_ns.h: the first pid namespace, on every machine. */
const INITIAL_PID_NAMESPACE = 'pid:[4026531836]';

/** include/uapi/linux/capability.h */
const CAP_DAC_READ_SEARCH = 2n;
const CAP_SYS_ADMIN = 21n;
const CAP_PERFMON = 38n;
const CAP_BPF = 39n;

const readCapabilities = (procfs: string): Capabilities | undefined => {
  const mask = /^CapEff:\s*([0-9a-f]+)$/m.exec(textAt(`${procfs}/self/status`) ?? '')?.[1];
  if (mask === undefined) return undefined;
  const effective = BigInt(`0x${mask}`);
  const has = (capability: bigint): boolean => ((effective >> capability) & 1n) === 1n;
  return {
    bpf: has(CAP_BPF),
    perfmon: has(CAP_PERFMON),
    sysAdmin: has(CAP_SYS_ADMIN),
    dacReadSearch: has(CAP_DAC_READ_SEARCH),
  };
};

/** `none [integrity] confidentiality` */
const readLockdown = (sysfs: string): string | undefined =>
  /\[(\w+)\]/.exec(textAt(`${sysfs}/kernel/security/lockdown`) ?? '')?.[1];

const readPidNamespace = (procfs: string): boolean | undefined =>
  pipe(
    readLink(`${procfs}/self/ns/pid`),
    E.match(
      () => undefined,
      (target) => target === INITIAL_PID_NAMESPACE,
    ),
  );

const readCorePmus = (sysfs: string): readonly string[] =>
  namesIn(`${sysfs}/bus/event_source/devices`).filter((name) =>
    /^(?:cpu(?:_.+)?|armv\d+_.+|apple_.+)$/.test(name),
  );

const hasBpffs = (roots: HostRoots): boolean =>
  (textAt(`${roots.procfs}/self/mounts`) ?? '')
    .split('\n')
    .some((line) => line.split(' ')[2] === 'bpf');

/** Listed, not read: it is several MiB. */
const hasBtf = (sysfs: string): boolean => namesIn(`${sysfs}/kernel/btf`).includes('vmlinux');

const paranoidOf = (procfs: string): number | undefined => {
  const text = textAt(`${procfs}/sys/kernel/perf_event_paranoid`);
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
};

export const readCheckEnvironment = (roots: HostRoots): CheckEnvironment => ({
  kernelRelease: textAt(`${roots.procfs}/sys/kernel/osrelease`) ?? 'unknown',
  hasBtf: hasBtf(roots.sysfs),
  capabilities: readCapabilities(roots.procfs),
  hasBpffs: hasBpffs(roots),
  lockdown: readLockdown(roots.sysfs),
  perfEventParanoid: paranoidOf(roots.procfs),
  isInitialPidNamespace: readPidNamespace(roots.procfs),
  corePmus: readCorePmus(roots.sysfs),
  cgroup: chooseCgroupHierarchy(roots),
  hasNmiWatchdog: textAt(`${roots.procfs}/sys/kernel/nmi_watchdog`) === '1',
});
