// SPDX-License-Identifier: Apache-2.0
/** The Go tests of otel-config/wattfeedreceiver, as scripts/build-collector.sh has compiled them. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { collectorBinary, CONFIG_DIRECTORY } from '../../support/collector-process.js';

const SOURCES = join(CONFIG_DIRECTORY, 'wattfeedreceiver');
const LINES_MAX = 400;

const sources = (): readonly string[] =>
  readdirSync(SOURCES).filter((name) => name.endsWith('.go'));

describe('wattfeedreceiver', () => {
  it('passes its own tests, each of them', () => {
    const run = spawnSync(join(dirname(collectorBinary()), 'wattfeedreceiver.test'), ['-test.v'], {
      encoding: 'utf8',
      timeout: 80_000,
    });
    const declared = sources()
      .filter((name) => name.endsWith('_test.go'))
      .flatMap((name) =>
        readFileSync(join(SOURCES, name), 'utf8').match(/^func Test[A-Z]\w+\(t/gm),
      );
    expect(run.stdout.match(/^--- FAIL.*$/gm)).toBeNull();
    expect(run.stdout.match(/^--- PASS/gm)).toHaveLength(declared.length);
    expect(run.status).toBe(0);
  });

  it('stays thin', () => {
    const lines = sources()
      .filter((name) => !name.endsWith('_test.go'))
      .map((name) => readFileSync(join(SOURCES, name), 'utf8').split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(LINES_MAX);
  });
});
