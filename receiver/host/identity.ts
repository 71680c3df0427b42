// SPDX-License-Identifier: Apache-2.0
/** Which host this is, for the resource attributes host.name and host.id. */
import { pipe } from 'fp-ts/lib/function.js';
import * as E from 'fp-ts/lib/Either.js';
import { readText } from './files.js';
import type { HostRoots } from './roots.js';

export interface HostIdentity {
  readonly name: string | undefined;
  /** systemd's machine id: 32 hex digits. */
  readonly machineId: string | undefined;
  readonly kernelRelease: string | undefined;
}

const textOf = (path: string): string | undefined =>
  pipe(
    readText(path),
    E.map((text) => text.trim()),
    E.match(
      () => undefined,
      (text) => (text === '' ? undefined : text),
    ),
  );

/** `rootfs` is where the host's / is mounted: `` for the machine itself, `/host` in a container. */
export const readHostIdentity = (roots: HostRoots, rootfs = ''): HostIdentity => {
  const ids = ['/etc/machine-id', '/var/lib/dbus/machine-id'].map((path) => textOf(rootfs + path));
  return {
    name: textOf(`${roots.procfs}/sys/kernel/hostname`),
    machineId: ids.find((id) => id !== undefined && /^[0-9a-f]{32}$/.test(id)),
    kernelRelease: textOf(`${roots.procfs}/sys/kernel/osrelease`),
  };
};
