// SPDX-License-Identifier: Apache-2.0
/** What a cgroup stands for, over its life: found late, renamed, removed, seen from a namespace. */
import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CgroupIndex } from '../../../receiver/identity/cgroup-index.js';
import { CgroupWatch } from '../../../receiver/identity/cgroup-watch.js';
import {
  commandArguments,
  commandLineFor,
  executablePath,
  mendedName,
} from '../../../receiver/identity/process-files.js';
import { ID } from '../../support/cgroup-corpus.js';
import { manualClock } from '../../support/manual-clock.js';
import { untilDefined } from '../../support/until.js';

let base = '';
let root = '';
const make = (path: string): bigint => {
  mkdirSync(join(root, path), { recursive: true });
  return statSync(join(root, path), { bigint: true }).ino;
};

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'wattfeed-identity-'));
  root = join(base, 'cgroup');
  mkdirSync(root);
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

describe('CgroupIndex.identityOf', () => {
  const newIndex = (hierarchy = 'unified') => {
    const clock = manualClock();
    const index = new CgroupIndex({
      directory: root,
      hierarchy,
      procfs: join(base, 'proc'),
      clock,
    });
    return { index, clock };
  };

  const processIn = (pid: number, path: string): void => {
    mkdirSync(join(base, 'proc', String(pid)), { recursive: true });
    writeFileSync(join(base, 'proc', String(pid), 'cgroup'), `0::${path}\n`);
  };

  it('is undefined until the path is known, and then always the same object', () => {
    const id = make(`docker/${ID.A}`);
    const { index } = newIndex();
    expect(index.identityOf(id)).toBeUndefined();
    index.refresh(1_000);
    const identity = index.identityOf(id);
    expect(identity?.container?.id).toBe(ID.A);
    expect(index.identityOf(id)).toBe(identity);
  });

  it('is just a cgroup where the path was never found', () => {
    const { index } = newIndex();
    index.notice(999_999n, undefined);
    expect(index.identityOf(999_999n)).toBeUndefined();
    index.refresh(1_000);
    expect(index.identityOf(999_999n)).toMatchObject({ kind: 'cgroup', rule: 'deleted' });
    expect(index.isThere(999_999n)).toBe(false);
  });

  it('follows a rename in a v1 hierarchy within 30 s, though nothing is missing', () => {
    const id = make('system.slice/a.service');
    const { index, clock } = newIndex('cpu');
    index.refresh(1_000);
    expect(index.identityOf(id)?.unit?.name).toBe('a.service');
    renameSync(join(root, 'system.slice/a.service'), join(root, 'system.slice/b.service'));
    expect(index.isThere(id)).toBe(false);
    clock.pass(31_000);
    index.refresh(1_000);
    expect(index.identityOf(id)?.unit?.name).toBe('b.service');
    expect(index.isThere(id)).toBe(true);
  });

  it('keeps what a removed cgroup stood for, and says that it is gone', () => {
    const id = make(`docker/${ID.A}`);
    const { index } = newIndex();
    index.refresh(1_000);
    expect(index.isThere(id)).toBe(true);
    rmdirSync(join(root, 'docker', ID.A));
    expect(index.isThere(id)).toBe(false);
    expect(index.identityOf(id)?.container?.id).toBe(ID.A);
  });

  it('takes a path relative to our cgroup namespace where nothing else can be had', () => {
    const path = `/../../kubepods/besteffort/cri-containerd-${ID.A}.scope`;
    processIn(7, path);
    const { index } = newIndex();
    index.notice(123_456n, 7);
    index.refresh(1_000);
    expect(index.pathOf(123_456n)).toBe(path);
    expect(index.identityOf(123_456n)).toMatchObject({
      kind: 'container',
      container: { id: ID.A, runtime: 'containerd' },
    });
    expect(index.isThere(123_456n)).toBe(true);
  });
});

describe('CgroupWatch', () => {
  it('tells of a new directory, below one that it was told of, too', async () => {
    const seen: string[] = [];
    const watch = new CgroupWatch({
      onCreated: (directory) => {
        seen.push(directory.toString());
        watch.add(directory, false);
      },
    });
    const told = (path: string) =>
      untilDefined(`to be told of ${path}`, () => (seen.includes(path) ? true : undefined));
    try {
      watch.add(Buffer.from(root), false);
      mkdirSync(join(root, 'a'));
      await told(join(root, 'a'));
      mkdirSync(join(root, 'a', 'b'));
      await told(join(root, 'a', 'b'));
      expect(watch.size).toBe(3);
      rmdirSync(join(root, 'a', 'b'));
      rmdirSync(join(root, 'a'));
      await untilDefined('the watches to go with them', () =>
        watch.size === 1 ? true : undefined,
      );
    } finally {
      watch.close();
    }
    expect(watch.size).toBe(0);
  });

  it('watches no more than it may, no leaf of a unit or container, and nothing that is not there', () => {
    const watch = new CgroupWatch({ onCreated: () => undefined, maxDirectories: 1 });
    for (const leaf of ['x.service', 'docker-1.scope', ID.A])
      watch.add(Buffer.from(join(root, leaf)), true);
    watch.add(Buffer.from(join(base, 'nowhere')), false);
    expect(watch.size).toBe(0);
    watch.add(Buffer.from(root), false);
    watch.add(Buffer.from(base), false);
    expect(watch.size).toBe(1);
    watch.close();
  });
});

describe('process files', () => {
  it('are read of a living process', () => {
    expect(executablePath('/proc', process.pid)).toBe(process.execPath);
    expect(commandArguments('/proc', process.pid)?.length).toBeGreaterThan(0);
    expect(commandLineFor('off', '/proc', process.pid)).toBeUndefined();
    expect(commandLineFor('full', '/proc', process.pid)).toBe(
      commandArguments('/proc', process.pid)?.join(' '),
    );
    expect(executablePath(join(base, 'proc'), 1)).toBeUndefined();
    expect(commandArguments(join(base, 'proc'), 1)).toBeUndefined();
  });

  it('mend only the name that a runtime gave its first thread', () => {
    const name = process.execPath.split('/').at(-1);
    expect(mendedName('/proc', process.pid, 'MainThread')).toBe(name);
    expect(mendedName('/proc', process.pid, 'worker')).toBe('worker');
    expect(mendedName(join(base, 'proc'), 1, 'MainThread')).toBe('MainThread');
  });
});
