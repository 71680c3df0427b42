// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADDON_PATH, port, valueOf } from './support.js';

/** A process that takes the lock, says so, and holds it until it is killed. */
const holder = async (path: string) => {
  const code = `
    const { ok } = require(process.argv[1]).lockDirectory(process.argv[2]);
    console.log(ok ? 'held' : 'refused');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['-e', code, ADDON_PATH, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [answer]: unknown[] = await once(child.stdout, 'data');
  expect(String(answer).trim()).toBe('held');
  return child;
};

describe.each([
  ['an ordinary directory', () => mkdtempSync(join(tmpdir(), 'wattfeed-lock-'))],
  [
    'a bpffs directory',
    () => {
      const path = `/sys/fs/bpf/wattfeed-test-${String(process.pid)}`;
      mkdirSync(path);
      return path;
    },
  ],
])('lockDirectory on %s', (_, make) => {
  let path = '';
  beforeEach(() => {
    path = make();
  });
  afterEach(() => {
    rmdirSync(path);
  });

  it('is refused while another process holds it, whose pid it names', async () => {
    const child = await holder(path);
    expect(port().lockDirectory(path)).toMatchObject({
      left: { operation: `lock ${path}`, code: 'EAGAIN', detail: String(child.pid) },
    });
    child.kill('SIGKILL');
    await once(child, 'exit');
    valueOf(port().lockDirectory(path));
    valueOf(port().lockDirectory(path));
  });
});

describe('lockDirectory', () => {
  it('says that a directory is not there, or is none', () => {
    expect(port().lockDirectory('/nonexistent')).toMatchObject({ left: { code: 'ENOENT' } });
    expect(port().lockDirectory('/proc/self/stat')).toMatchObject({ left: { code: 'ENOTDIR' } });
  });
});
