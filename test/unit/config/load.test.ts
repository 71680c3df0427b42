// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../receiver/config/load.js';
import { DEFAULT_CONFIG_FILE, renderConfigFile } from '../../../receiver/config/render.js';
import { configJsonSchema } from '../../../receiver/config/json-schema.js';

const directory = mkdtempSync(join(tmpdir(), 'wattfeed-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const absent = join(directory, 'absent.yaml');
const nothing = { flags: new Map<string, string>(), env: {} };

describe('loadConfig', () => {
  it('takes the defaults where the default file does not exist', () => {
    expect(E.isRight(loadConfig({ path: undefined, ...nothing }, absent))).toBe(true);
  });

  it('fails where a file that was asked for does not exist', () => {
    expect(loadConfig({ path: absent, ...nothing })).toEqual(
      E.left([
        {
          what: `read ${absent}`,
          cause: 'ENOENT',
          remedy: 'create it with wattfeed config --defaults, or leave --config out',
        },
      ]),
    );
  });

  it('fails on a directory, also in the default place', () => {
    const result = loadConfig({ path: undefined, ...nothing }, directory);
    expect(result).toMatchObject({ left: [{ cause: 'EISDIR' }] });
  });

  it.each([
    ['a device that never ends', () => '/dev/zero', 'a device, not a regular file'],
    [
      'a pipe that nobody writes to',
      () => {
        const pipe = join(directory, 'pipe');
        execFileSync('mkfifo', [pipe]);
        return pipe;
      },
      'a pipe, not a regular file',
    ],
    [
      'a file that is far too large',
      () => {
        const file = join(directory, 'large.yaml');
        writeFileSync(file, '');
        truncateSync(file, 50 * 1_048_576);
        return file;
      },
      'larger than 1024 KiB',
    ],
  ])('refuses %s at once', (_what, make, cause) => {
    expect(loadConfig({ path: make(), ...nothing })).toMatchObject({ left: [{ cause }] });
  });

  it('reads no more of a file without a size than of one with it', () => {
    // 0 bytes, says stat(2), and far more comes.
    expect(loadConfig({ path: '/proc/kallsyms', ...nothing })).toMatchObject({
      left: [{ cause: 'larger than 1024 KiB' }],
    });
  });

  it('reads a file from Windows, with a byte order mark and CRLF', () => {
    const file = join(directory, 'crlf.yaml');
    writeFileSync(file, '\uFEFFwindow_millis: 500\r\nledger:\r\n  max_processes: 100\r\n');
    expect(loadConfig({ path: file, ...nothing })).toMatchObject({
      right: { windowMillis: 500, ledger: { maxProcesses: 100 } },
    });
  });

  it('reads a printed file, changed by hand', () => {
    const file = join(directory, 'config.yaml');
    const text = renderConfigFile(DEFAULT_CONFIG_FILE).replace(
      'window_millis: 1000',
      'window_millis: 250',
    );
    writeFileSync(file, text);
    expect(loadConfig({ path: file, ...nothing })).toMatchObject({ right: { windowMillis: 250 } });
  });
});

describe('configJsonSchema', () => {
  it('is strict and describes units, ranges and defaults', () => {
    expect(configJsonSchema()).toMatchObject({
      additionalProperties: false,
      properties: {
        window_millis: { type: 'integer', minimum: 20, default: 1000 },
        energy: {
          additionalProperties: false,
          properties: { model: { required: ['idle_watts', 'max_watts'] } },
        },
      },
    });
  });
});
