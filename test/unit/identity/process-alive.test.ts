// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processAlive, startTicksOf } from '../../../receiver/identity/process-alive.js';
import { nanos } from '../../../receiver/model/units.js';

/** /proc/PID/stat of a process named `comm` that started `ticks` after boot. */
const statText = (comm: string, ticks: number): string =>
  `20586 (${comm}) R 20305 20305 3993 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 ${String(ticks)} 3133440 359`;

describe('startTicksOf', () => {
  it('reads field 22 whatever the command is called', () => {
    for (const comm of ['cat', 'a b', ') R 1 2', '((', '1 2 3) S 4']) {
      expect(startTicksOf(statText(comm, 280_014))).toBe(280_014n);
    }
  });

  it('knows nothing of a text that is no stat', () => {
    for (const text of ['', '1 (x)', '1 (x) R 2', 'garbage']) {
      expect(startTicksOf(text)).toBeUndefined();
    }
  });
});

describe('processAlive', () => {
  let procfs = '';
  beforeEach(() => {
    procfs = mkdtempSync(join(tmpdir(), 'wattfeed-proc-'));
    mkdirSync(join(procfs, '7'));
    writeFileSync(join(procfs, '7', 'stat'), `${statText('x', 42)}\n`);
  });
  afterEach(() => {
    rmSync(procfs, { recursive: true });
  });

  it('compares the start in ticks of 10 ms', () => {
    const isAlive = processAlive(procfs);
    expect(isAlive(7, nanos(429_999_999n))).toBe(true);
    expect(isAlive(7, nanos(420_000_000n))).toBe(true);
    expect(isAlive(7, nanos(430_000_000n))).toBe(false);
  });

  it('says no where there is no such pid', () => {
    expect(processAlive(procfs)(8, nanos(0n))).toBe(false);
  });

  it('does not call a process dead of which it can read nothing', () => {
    writeFileSync(join(procfs, '7', 'stat'), 'garbage');
    expect(processAlive(procfs)(7, nanos(0n))).toBe(true);
  });
});
