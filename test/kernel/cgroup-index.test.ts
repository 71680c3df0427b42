// SPDX-License-Identifier: Apache-2.0
/** The real cgroup file system: ids are inode numbers, and directories count their children. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseCgroupHierarchy } from '../../receiver/host/cgroup-hierarchy.js';
import { systemClock } from '../../receiver/host/clock.js';
import { DEFAULT_ROOTS } from '../../receiver/host/roots.js';
import { CgroupIndex } from '../../receiver/identity/cgroup-index.js';

const { directory, hierarchy } = chooseCgroupHierarchy(DEFAULT_ROOTS);
const base = join(directory, `wattfeed-test-${String(process.pid)}`);

const idOf = (path: string): bigint => lstatSync(path, { bigint: true }).ino;
const newIndex = (): CgroupIndex =>
  new CgroupIndex({ directory, hierarchy, procfs: DEFAULT_ROOTS.procfs, clock: systemClock });

describe('CgroupIndex on this kernel', () => {
  beforeEach(() => {
    mkdirSync(join(base, 'inner'), { recursive: true });
  });
  afterEach(() => {
    rmdirSync(join(base, 'inner'));
    rmdirSync(base);
  });

  it('finds the cgroup of a running process at once', async () => {
    const child = spawn('sleep', ['60']);
    try {
      writeFileSync(join(base, 'inner', 'cgroup.procs'), String(child.pid));
      const index = newIndex();
      const id = idOf(join(base, 'inner'));
      index.notice(id, child.pid);
      expect(index.pathOf(id)).toBe(`/wattfeed-test-${String(process.pid)}/inner`);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });

  it('finds a new cgroup by the changed link count of its parent', () => {
    const index = newIndex();
    index.notice(idOf(base), undefined);
    index.refresh(1_000);
    expect(index.pathOf(idOf(join(base, 'inner')))).toContain('/inner');
    expect(lstatSync(base).nlink).toBe(3);
    const other = join(base, 'other');
    mkdirSync(other);
    try {
      expect(lstatSync(base).nlink).toBe(4);
    } finally {
      rmdirSync(other);
    }
    expect(lstatSync(base).nlink).toBe(3);
  });

  it('calls the root `/`', () => {
    const index = newIndex();
    index.notice(idOf(directory), undefined);
    index.refresh(1_000);
    expect(index.pathOf(idOf(directory))).toBe('/');
  });
});
