// SPDX-License-Identifier: Apache-2.0
/** The feed's pinned maps: published, read, adopted, withdrawn, kept from others. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  powerFeedCgroupHalf,
  powerFeedPackageHalf,
  powerFeedState,
  powerFeedStateHalf,
  powerFeedStatus,
} from '../../native/feed-layout.generated.js';
import { encodeRecords, readRecords } from '../../policy/record-bytes.js';
import type { FeedHalves, FeedPublisher, FeedReader } from '../../policy/port.js';
import { buildReader, makePins, port, valueOf } from '../support/feed/pins.js';
import { port as activityPort } from './support.js';

const pins = makePins('native');
let reader = '';
const open: { close: () => void }[] = [];
const NOBODY = 65534;

const publisher = (): FeedPublisher => {
  const opened = valueOf(port().openPublisher(pins.directory, false)).publisher;
  open.push(opened);
  return opened;
};
const look = (): FeedReader => {
  const opened = valueOf(port().openReader(pins.directory));
  open.push(opened);
  return opened;
};

/** A generation whose fields all carry one number. */
const filled = (number: number, cgroups = 20, validNanos = 60_000_000_000n): FeedHalves => {
  const now = process.hrtime.bigint();
  return {
    state: encodeRecords(powerFeedStateHalf, [
      {
        publishedNs: now,
        validUntilNs: now + validNanos,
        source: 1,
        cgroupCount: cgroups,
        packageCount: 1,
        referencePowerMw: 1000,
      },
    ]),
    packages: encodeRecords(powerFeedPackageHalf, [
      { powerMw: number, dramMw: number, limitMw: 1e6 },
    ]),
    cpus: new Uint8Array(),
    cgroups: encodeRecords(
      powerFeedCgroupHalf,
      Array.from({ length: cgroups }, (_, at) => ({
        cgroupId: BigInt(at + 1),
        powerMw: number,
        budgetMw: number,
        queueWaitUs: number,
        dramMw: number,
      })),
    ),
  };
};

beforeAll(() => {
  reader = buildReader();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => {
  pins.remove();
});

describe('openPublisher', () => {
  it('pins six maps, mode 0600 in a directory 0700', () => {
    publisher();
    expect(readdirSync(pins.directory).toSorted()).toEqual([
      'cgroup',
      'cgroup_index',
      'cpu',
      'package',
      'state',
      'task',
    ]);
    expect(statSync(pins.directory).mode & 0o777).toBe(0o700);
    for (const pin of readdirSync(pins.directory))
      expect(statSync(join(pins.directory, pin)).mode & 0o777).toBe(0o600);
  });

  it('keeps the pins of a dead publisher, its generation goes on, and a reader sees on', () => {
    const first = publisher();
    valueOf(first.publish(filled(7)));
    const watching = look();
    const before = valueOf(first.publish(filled(8)));
    first.close();
    const again = valueOf(port().openPublisher(pins.directory, false));
    open.push(again.publisher);
    expect(again.adopted).toHaveLength(6);
    expect(again.replaced).toEqual([]);
    expect(valueOf(again.publisher.publish(filled(9)))).toBe(before + 1n);
    const [record] = readRecords(powerFeedPackageHalf, valueOf(watching.read()).packages);
    expect(record?.number('powerMw')).toBe(9);
  });

  it('replaces a pin that is not of this version, and a reader of that one is told', () => {
    publisher().close();
    const path = join(pins.directory, 'package');
    spawnSync('rm', [path]);
    const made = spawnSync(
      'bpftool',
      [
        'map',
        'create',
        path,
        'type',
        'array',
        'key',
        '4',
        'value',
        '128',
        'entries',
        '64',
        'name',
        'foreign',
      ],
      { encoding: 'utf8' },
    );
    expect(made.stderr).toBe('');
    const refused = port().openReader(pins.directory);
    expect(E.isLeft(refused) && refused.left.code).toBe('EPROTO');
    const opened = valueOf(port().openPublisher(pins.directory, false));
    open.push(opened.publisher);
    expect(opened.replaced).toEqual([path]);
    expect(E.isRight(port().openReader(pins.directory))).toBe(true);
  });
});

describe('publish', () => {
  it('is seen whole, with what is no longer there gone, by the addon and by a C program', () => {
    const writing = publisher();
    const watching = look();
    valueOf(writing.publish(filled(3, 20)));
    valueOf(writing.publish(filled(4, 5)));
    const seen = valueOf(watching.read());
    expect(seen.status).toBe(powerFeedStatus.ok);
    expect(
      readRecords(powerFeedCgroupHalf, seen.cgroups).map((one) => one.number('powerMw')),
    ).toEqual(new Array(5).fill(4));
    const c = spawnSync(reader, [pins.directory], { encoding: 'utf8' });
    const [state] = readRecords(powerFeedState, seen.state);
    expect(c.stdout).toBe(`status 0 generation ${String(state?.bigint('generation'))} source 1\n`);
  });

  it('is refused whole when there is more than the maps hold, and the last generation stays', () => {
    const writing = publisher();
    valueOf(writing.publish(filled(5)));
    const refused = writing.publish(filled(6, 4097));
    expect(E.isLeft(refused) && refused.left.code).toBe('EINVAL');
    const [record] = readRecords(powerFeedPackageHalf, valueOf(look().read()).packages);
    expect(record?.number('powerMw')).toBe(5);
  });

  it('is never seen torn by a reader while the writer writes as fast as it can', async () => {
    const writing = publisher();
    valueOf(writing.publish(filled(1)));
    const child = spawn(reader, [pins.directory, '4'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    let generations = 0;
    const race = { hasEnded: false };
    void exited.then(() => (race.hasEnded = true));
    while (!race.hasEnded) {
      for (let at = 0; at < 200; at++) valueOf(writing.publish(filled((generations++ % 1e6) + 1)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const [code] = await exited;
    console.log(`saturated writer: ${String(generations)} generations; ${output.trim()}`);
    expect(code).toBe(0);
    const numbers = new Map(
      [...output.matchAll(/(\w+) (\d+)/g)].map(([, name, value]) => [name ?? '', Number(value)]),
    );
    expect(numbers.get('mixed')).toBe(0);
    // it was a race: many looks, many of them whole, and the writer was in the middle of some
    expect(numbers.get('whole')).toBeGreaterThan(10_000);
    expect(generations).toBeGreaterThan(1_000);
  });

  it('leaks neither files nor memory over 10,000 generations', () => {
    const writing = publisher();
    const files = (): number => readdirSync('/proc/self/fd').length;
    const residentKibibytes = (): number =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
    const generations = Array.from({ length: 50 }, (_, at) => filled(at + 1, 10 + at * 4));
    const publishAll = (times: number): void => {
      for (let at = 0; at < times; at++) {
        const halves = generations[at % generations.length];
        if (halves !== undefined) valueOf(writing.publish(halves));
      }
    };
    publishAll(2_000);
    const [filesBefore, kibibytesBefore] = [files(), residentKibibytes()];
    publishAll(10_000);
    expect(files()).toBe(filesBefore);
    // The address sanitizer keeps what was freed for a while, and has a leak check of its own.
    const isSanitized = (process.env['LD_PRELOAD'] ?? '').includes('libasan');
    if (!isSanitized) expect(residentKibibytes() - kibibytesBefore).toBeLessThan(20_000);
  });
});

describe('withdraw', () => {
  it('makes the feed expired and leaves the pins', () => {
    const writing = publisher();
    valueOf(writing.publish(filled(2)));
    valueOf(writing.withdraw());
    expect(valueOf(look().read()).status).toBe(powerFeedStatus.expired);
    expect(spawnSync(reader, [pins.directory], { encoding: 'utf8' }).stdout).toContain('status 3');
    expect(readdirSync(pins.directory)).toHaveLength(6);
  });
});

describe('read', () => {
  it('says expired when the writer is gone for longer than it promised', async () => {
    const writing = publisher();
    valueOf(writing.publish(filled(2, 3, 1_000_000n)));
    writing.close();
    const watching = look();
    await expect.poll(() => valueOf(watching.read()).status).toBe(powerFeedStatus.expired);
  });

  it('says that nobody has published where there is no pin', () => {
    const missing = port().openReader(`${pins.parent}/v9`);
    expect(E.isLeft(missing) && missing.left.code).toBe('ENOENT');
  });
});

describe('access', () => {
  const asNobody = (...more: readonly string[]) =>
    spawnSync(
      'setpriv',
      [
        ...[`--reuid=${String(NOBODY)}`, `--regid=${String(NOBODY)}`, '--clear-groups'],
        ...[reader, pins.directory, ...more],
      ],
      // The sanitizer that this file may run under writes reports where nobody may not.
      { encoding: 'utf8', env: { ...process.env, LD_PRELOAD: '' } },
    );

  it('is denied to another user, who may neither read nor write', () => {
    valueOf(publisher().publish(filled(2)));
    chmodSync(join(reader, '..'), 0o755);
    const denied = asNobody();
    expect(denied.status).toBe(2);
    expect(denied.stderr).toMatch(/Permission denied|Operation not permitted/);
    const written = spawnSync(
      'setpriv',
      [
        '--reuid=65534',
        '--regid=65534',
        '--clear-groups',
        'bpftool',
        'map',
        'update',
        'pinned',
        join(pins.directory, 'state'),
        'key',
        '0',
        '0',
        '0',
        '0',
        'value',
        ...new Array<string>(384).fill('0'),
      ],
      { encoding: 'utf8' },
    );
    expect(written.status).not.toBe(0);
  });

  it('can be given to one user to read, as documented, and then not to write', () => {
    valueOf(publisher().publish(filled(2)));
    chmodSync(join(reader, '..'), 0o755);
    const readable = ['state', 'package', 'cgroup'].map((pin) => join(pins.directory, pin));
    const own = (uid: number, directoryMode: number, pinMode: number): void => {
      for (const path of [pins.parent, pins.directory, ...readable]) {
        chownSync(path, uid, 0);
        chmodSync(path, readable.includes(path) ? pinMode : directoryMode);
      }
    };
    own(NOBODY, 0o500, 0o400);
    const allowed = asNobody();
    expect(allowed.stdout + allowed.stderr).toContain('status 0');
    expect(asNobody('write').stdout).toMatch(/write: (Operation not permitted|Permission denied)/);
    own(0, 0o700, 0o600);
    expect(asNobody().status).toBe(2);
  });

  it('can be given to everybody to read, and then not to write', () => {
    valueOf(publisher().publish(filled(2)));
    chmodSync(pins.parent, 0o755);
    chmodSync(pins.directory, 0o755);
    for (const pin of ['state', 'package', 'cgroup']) chmodSync(join(pins.directory, pin), 0o644);
    const allowed = asNobody();
    expect(allowed.stdout + allowed.stderr).toContain('status 0');
    expect(asNobody('write').stdout).toMatch(/write: (Operation not permitted|Permission denied)/);
  });
});

describe('lockDirectory', () => {
  it('admits one publisher: another process is refused', () => {
    valueOf(activityPort().lockDirectory(pins.parent));
    const other = spawnSync('flock', [
      '--nonblock',
      '--conflict-exit-code',
      '7',
      pins.parent,
      'true',
    ]);
    expect(other.status).toBe(7);
  });
});
