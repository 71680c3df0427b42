// SPDX-License-Identifier: Apache-2.0
/** Where the machine is mounted. Containers need these, tests live on them; logic never holds a constant path. */
export interface HostRoots {
  readonly sysfs: string;
  readonly procfs: string;
  readonly cgroup: string;
}

export const DEFAULT_ROOTS: HostRoots = {
  sysfs: '/sys',
  procfs: '/proc',
  cgroup: '/sys/fs/cgroup',
};
