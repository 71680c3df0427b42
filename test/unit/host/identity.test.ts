// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHostIdentity, type HostIdentity } from '../../../receiver/host/identity.js';

const MACHINE_ID = '0123456789abcdef0123456789abcdef';

describe('readHostIdentity', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'wattfeed-root-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const identity = (): HostIdentity =>
    readHostIdentity(
      { sysfs: join(root, 'sys'), procfs: join(root, 'proc'), cgroup: join(root, 'cgroup') },
      root,
    );

  it('reads the machine id below the root where the host is mounted', () => {
    write('etc/machine-id', `${MACHINE_ID}\n`);
    expect(identity().machineId).toBe(MACHINE_ID);
  });

  it.each(['', 'uninitialized\n', 'NOT-AN-ID'])('takes %j for no machine id', (text) => {
    write('etc/machine-id', text);
    expect(identity().machineId).toBeUndefined();
    write('var/lib/dbus/machine-id', MACHINE_ID);
    expect(identity().machineId).toBe(MACHINE_ID);
  });

  it('leaves undefined what no file says', () => {
    expect(identity()).toEqual({ name: undefined, machineId: undefined, kernelRelease: undefined });
    write('proc/sys/kernel/hostname', '\n');
    expect(identity().name).toBeUndefined();
  });

  it('reads name and kernel below procfs', () => {
    write('proc/sys/kernel/hostname', 'node-1\n');
    write('proc/sys/kernel/osrelease', '6.1.0\n');
    expect(identity()).toMatchObject({ name: 'node-1', kernelRelease: '6.1.0' });
  });
});
