// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceStateFile } from '../../../receiver/agent/state-file.js';

describe('replaceStateFile', () => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-state-'));

  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('replaces what was there', () => {
    const path = join(directory, 'sub', 'learnt.json');
    for (const text of ['first', 'second'])
      expect(replaceStateFile(path, text, { isDurable: true })).toEqual(E.right(undefined));
    expect(readFileSync(path, 'utf8')).toBe('second');
    expect(readdirSync(join(directory, 'sub'))).toEqual(['learnt.json']);
  });

  it('leaves nothing beside what it cannot replace', () => {
    const path = join(directory, 'a-folder');
    mkdirSync(path);
    expect(replaceStateFile(path, 'text', { isDurable: false })).toEqual(E.left('EISDIR'));
    expect(readdirSync(directory)).toContain('a-folder');
    expect(readdirSync(directory)).not.toContain('a-folder.new');
  });
});
