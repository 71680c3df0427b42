// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parsePasswd, UserNames } from '../../../receiver/identity/user-names.js';
import { manualClock } from '../../support/manual-clock.js';

const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const entries = (text: string) => [...parsePasswd(bytesOf(text))];

describe('parsePasswd', () => {
  it('takes name and uid of each line, the first line of a uid', () => {
    expect(
      entries('root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\nann:x:1000:1000::/:/bin/sh'),
    ).toEqual([
      [0, 'root'],
      [1000, 'ann'],
    ]);
  });

  it('passes over lines that are none', () => {
    expect(
      entries('\n#c\n:x:5:\nno-uid:x:abc:\nshort:x:7\n+::::::\nneg:x:-1:\nok:x:9:9\n'),
    ).toEqual([[9, 'ok']]);
  });

  it('escapes names and never throws', () => {
    expect(entries('a\x1bb:x:1:1\n')).toEqual([[1, 'a\\x1Bb']]);
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(parsePasswd(bytes)).toBeInstanceOf(Map);
      }),
    );
  });
});

describe('UserNames', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'wattfeed-passwd-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('shows the number where there is no name or no file', () => {
    const users = new UserNames(join(directory, 'passwd'), manualClock());
    expect(users.nameOf(1000)).toBe('1000');
  });

  it('finds a user that was added later, at most ten seconds after', () => {
    const path = join(directory, 'passwd');
    const clock = manualClock();
    writeFileSync(path, 'root:x:0:0\n');
    const users = new UserNames(path, clock);
    expect([users.nameOf(0), users.nameOf(7)]).toEqual(['root', '7']);
    writeFileSync(path, 'root:x:0:0\nnew:x:7:7\n');
    clock.pass(9_000);
    expect(users.nameOf(7)).toBe('7');
    clock.pass(1_000);
    expect(users.nameOf(7)).toBe('new');
  });

  it('keeps the names when the file goes away', () => {
    const path = join(directory, 'passwd');
    const clock = manualClock();
    writeFileSync(path, 'root:x:0:0\n');
    const users = new UserNames(path, clock);
    expect(users.nameOf(0)).toBe('root');
    rmSync(path);
    clock.pass(60_000);
    expect([users.nameOf(8), users.nameOf(0)]).toEqual(['8', 'root']);
  });
});
