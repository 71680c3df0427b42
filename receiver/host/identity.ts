// SPDX-License-Identifier: Apache-2.0
/** Which host this is, for the resource attributes host.name and host.id. */
import type { HostRoots } from './roots.js';
import { textAt } from './values.js';

export interface HostIdentity {
  readonly name: string | undefined;
  /** systemd's machine id: 32 hex digits. */
  readonly machineId: string | undefined;
  readonly kernelRelease: string | undefined;
  /** Another after each boot. */
  readonly bootId: string | undefined;
}

const textOf = (path: string): string | undefined => {
  const text = textAt(path);
  return text === '' ? undefined : text;
};

/** `rootfs` is where the host's / is mounted: `` for the machine itself, `/host` in a container. */
export const readHostIdentity = (roots: HostRoots, rootfs = ''): HostIdentity => {
  const ids = ['/etc/machine-id', '/var/lib/dbus/machine-id'].map((path) => textOf(rootfs + path));
  return {
    name: textOf(`${roots.procfs}/sys/kernel/hostname`),
    // A machine that was not booted yet says `uninitialized`, an image may hold an empty file.
    machineId: ids.find((id) => id !== undefined && /^[0-9a-f]{32}$/.test(id)),
    kernelRelease: textOf(`${roots.procfs}/sys/kernel/osrelease`),
    bootId: textOf(`${roots.procfs}/sys/kernel/random/boot_id`),
  };
};
