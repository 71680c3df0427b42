// SPDX-License-Identifier: Apache-2.0
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cgroupPathIn } from '../../../receiver/identity/cgroup-files.js';
import { CgroupIndex } from '../../../receiver/identity/cgroup-index.js';
import { manualClock } from '../../support/manual-clock.js';

const V1_FILE = [
  '9:name=systemd:/init.scope',
  '4:cpu,cpuacct:/docker/abc:def',
  '3:memory:/system.slice/x.service',
  '0::/unified/place',
  '',
].join('\n');

const pathIn = (file: string, hierarchy: string): string | undefined =>
  cgroupPathIn(Buffer.from(file, 'latin1'), hierarchy)?.toString('latin1');

describe('cgroupPathIn', () => {
  it('takes the line of the hierarchy, v2 or any controller of a v1 line', () => {
    expect(pathIn(V1_FILE, 'unified')).toBe('/unified/place');
    expect(pathIn(V1_FILE, 'cpuacct')).toBe('/docker/abc:def');
    expect(pathIn(V1_FILE, 'cpu')).toBe('/docker/abc:def');
    expect(pathIn(V1_FILE, 'pids')).toBeUndefined();
  });

  it('does not trust a path outside its cgroup namespace', () => {
    expect(pathIn('0::/../other', 'unified')).toBeUndefined();
    expect(pathIn('0::/..', 'unified')).toBeUndefined();
    expect(pathIn('0::/a..b/c', 'unified')).toBe('/a..b/c');
  });

  it('knows nothing of a file that is none', () => {
    for (const file of ['', 'x', '0:', ':::', '0::relative']) {
      expect(pathIn(file, 'unified')).toBeUndefined();
    }
  });
});

describe('CgroupIndex', () => {
  let base = '';
  let root = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'wattfeed-cgroups-'));
    root = join(base, 'cgroup');
    mkdirSync(root);
    mkdirSync(join(base, 'proc'));
  });
  afterEach(() => {
    rmSync(base, { recursive: true });
  });

  /** Makes a cgroup and returns its id. */
  const make = (path: string | Buffer): bigint => {
    const full = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path)]);
    mkdirSync(full, { recursive: true });
    return lstatSync(full, { bigint: true }).ino;
  };

  const setUp = (maxEntries = 20_000) => {
    const clock = manualClock();
    const procfs = join(base, 'proc');
    const index = new CgroupIndex({
      directory: root,
      hierarchy: 'unified',
      procfs,
      clock,
      maxEntries,
    });
    return { clock, index };
  };

  const processIn = (pid: number, path: string): void => {
    mkdirSync(join(base, 'proc', String(pid)));
    writeFileSync(join(base, 'proc', String(pid), 'cgroup'), `0::${path}\n`);
  };

  it('finds a cgroup by the process that was charged, without a walk', () => {
    const id = make('a/b');
    processIn(7, '/a/b');
    const { index } = setUp();
    index.notice(id, 7);
    expect(index.pathOf(id)).toBe('/a/b');
  });

  it('does not believe the process if the directory has another id', () => {
    const id = make('a');
    make('b');
    processIn(7, '/b');
    const { index } = setUp();
    index.notice(id, 7);
    expect(index.pathOf(id)).toBe(`(deleted:${String(id)})`);
    index.refresh(1_000);
    expect(index.pathOf(id)).toBe('/a');
  });

  it('walks for what no process can tell, and calls the root `/`', () => {
    const id = make('x/y/z');
    const { index } = setUp();
    index.notice(id, undefined);
    index.refresh(1_000);
    expect(index.pathOf(id)).toBe('/x/y/z');
    expect(index.pathOf(lstatSync(root, { bigint: true }).ino)).toBe('/');
  });

  it('keeps the path of a cgroup that was removed', () => {
    const id = make('gone');
    const { index } = setUp();
    index.notice(id, undefined);
    index.refresh(1_000);
    rmdirSync(join(root, 'gone'));
    const later = make('later');
    index.notice(later, undefined);
    index.refresh(1_000);
    expect(index.pathOf(id)).toBe('/gone');
  });

  it('names one that was gone before it was read by its id, and stops looking for it', () => {
    const { index, clock } = setUp();
    expect(index.pathOf(999_999_999n)).toBe('(deleted:999999999)');
    index.refresh(1_000);
    const id = make('only-found-by-a-walk');
    clock.pass(60_000);
    expect(index.pathOf(999_999_999n)).toBe('(deleted:999999999)');
    index.refresh(1_000);
    // Nothing was missing, so nothing was walked.
    expect(index.pathOf(id)).toBe(`(deleted:${String(id)})`);
  });

  it('begins a walk at most once a second, and a second look only for something new', () => {
    const { index, clock } = setUp();
    index.notice(1n, undefined);
    index.refresh(1_000);
    const early = make('early');
    index.notice(early, undefined);
    clock.pass(999);
    index.refresh(1_000);
    expect(index.pathOf(early)).toContain('deleted');
    clock.pass(1);
    index.refresh(1_000);
    expect(index.pathOf(early)).toBe('/early');
  });

  it('finds one that took another one’s place by the next full walk', () => {
    const first = make('a/first');
    const { index, clock } = setUp();
    index.notice(first, undefined);
    index.refresh(1_000);
    make('a/second');
    rmdirSync(join(root, 'a', 'first'));
    const second = lstatSync(join(root, 'a', 'second'), { bigint: true }).ino;
    index.notice(second, undefined);
    clock.pass(1_000);
    index.refresh(1_000);
    expect(index.pathOf(second)).toContain('deleted');
    clock.pass(29_000);
    index.refresh(1_000);
    expect(index.pathOf(second)).toBe('/a/second');
  });

  it('spreads a walk over as many refreshes as its budget needs', () => {
    const ids = Array.from({ length: 100 }, (_, i) => make(`c${String(i)}`));
    const { index } = setUp();
    for (const id of ids) index.notice(id, undefined);
    // The hand-moved clock stands still: a budget of zero is one round of steps.
    index.refresh(0);
    const isFound = (id: bigint): boolean => !index.pathOf(id).includes('deleted');
    expect(ids.filter(isFound).length).toBeLessThan(ids.length);
    for (let round = 0; round < 20; round += 1) index.refresh(0);
    expect(ids.filter(isFound).length).toBe(ids.length);
  });

  it('escapes hostile names and finds cgroups whose names are no UTF-8', () => {
    const hostile = make(Buffer.from([0x61, 0x1b, 0x5b, 0xff, 0x0a]));
    const nested = make(Buffer.concat([Buffer.from([0xfe]), Buffer.from('/inner')]));
    const { index } = setUp();
    index.notice(hostile, undefined);
    index.notice(nested, undefined);
    index.refresh(1_000);
    expect(index.pathOf(hostile)).toBe('/a\\x1B[\\xFF\\x0A');
    expect(index.pathOf(nested)).toBe('/\\xFE/inner');
  });

  it('follows no symbolic link', () => {
    const outside = mkdtempSync(join(tmpdir(), 'wattfeed-outside-'));
    try {
      const id = lstatSync(outside, { bigint: true }).ino;
      symlinkSync(outside, join(root, 'link'));
      const { index } = setUp();
      index.notice(id, undefined);
      index.refresh(1_000);
      expect(index.pathOf(id)).toContain('deleted');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('keeps no more paths than it may', () => {
    const ids = Array.from({ length: 30 }, (_, i) => make(`c${String(i)}`));
    const { index } = setUp(10);
    for (const [i, id] of ids.entries()) {
      processIn(100 + i, `/c${String(i)}`);
      index.notice(id, 100 + i);
    }
    const known = ids.filter((id) => !index.pathOf(id).includes('deleted'));
    expect(known).toEqual(ids.slice(-10));
  });

  it('lives without a cgroup file system', () => {
    const index = new CgroupIndex({
      directory: join(base, 'nowhere'),
      hierarchy: 'unified',
      procfs: join(base, 'nowhere'),
      clock: manualClock(),
    });
    index.notice(5n, 1);
    index.refresh(1_000);
    expect(index.pathOf(5n)).toBe('(deleted:5)');
  });
});
