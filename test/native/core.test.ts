// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ADDON_PATH } from './support.js';

/** Of the addon under test: its objects are there, only the cases themselves are compiled. */
const BUILD = dirname(dirname(ADDON_PATH));

const run = (command: string, parameters: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, parameters, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

beforeAll(() => {
  const built = run('cmake', ['--build', BUILD, '--target', 'core_test']);
  expect(built.status, built.output).toBe(0);
}, 300_000);

describe('core_test', () => {
  it('passes: the core classes without Node', () => {
    const result = run(join(BUILD, 'core_test'), []);
    expect(result.status, result.output).toBe(0);
  });
});
