// SPDX-License-Identifier: Apache-2.0
/** Standard output and error on a full disk: one line or none, the right exit code, no stack trace. */
import { spawnSync } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { watchOutput } from '../../../receiver/commands/output-errors.js';
import { viewerProgram } from '../../support/viewer-program.js';

const viewer = viewerProgram();
afterAll(viewer.remove);

const TIMEOUT_MILLIS = 60_000;

const inShell = (command: string) =>
  spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8', timeout: TIMEOUT_MILLIS });

const errorOf = (code: string): Error => Object.assign(new Error(code), { code });

describe('watchOutput', () => {
  it('is fine where the reader has gone', async () => {
    const stdout = new PassThrough();
    const written = watchOutput(stdout);
    stdout.emit('error', errorOf('EPIPE'));
    expect(await written()).toEqual({ _tag: 'Fine' });
  });

  it('fails with the first error of a disk', async () => {
    const stdout = new PassThrough();
    const written = watchOutput(stdout);
    stdout.emit('error', errorOf('ENOSPC'));
    stdout.emit('error', errorOf('EDQUOT'));
    expect(await written()).toMatchObject({
      _tag: 'Failed',
      complaints: [{ what: 'write standard output', cause: 'ENOSPC' }],
    });
  });
});

describe('wattfeed on a full disk', { timeout: TIMEOUT_MILLIS }, () => {
  it.each(['config', 'config --schema', '--help', 'top --once'])(
    'says one line for standard output: %s',
    (command) => {
      const config =
        command === '--help' || command.startsWith('config --')
          ? ''
          : ` --config ${viewer.configFile}`;
      const { status, stderr } = inShell(`${viewer.shellCommand} ${command}${config} >/dev/full`);
      expect(stderr).toBe(
        'wattfeed: write standard output: ENOSPC: no space left on device, write\n',
      );
      expect(status).toBe(1);
    },
  );

  it('keeps its exit code where standard error cannot be written', () => {
    expect(inShell(`${viewer.shellCommand} config --no-such-flag 2>/dev/full`).status).toBe(2);
  });
});
