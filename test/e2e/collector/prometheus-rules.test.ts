// SPDX-License-Identifier: Apache-2.0
/** The shipped rules by Prometheus' own tool: syntax, and what fires when. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prometheusFolder, RULES_DIRECTORY } from '../../support/prometheus-process.js';

const promtool = (...args: readonly string[]): { code: number | null; output: string } => {
  const run = spawnSync(join(prometheusFolder(), 'promtool'), args, {
    cwd: RULES_DIRECTORY,
    encoding: 'utf8',
  });
  return { code: run.status, output: `${run.stdout}${run.stderr}` };
};

describe('promtool', () => {
  it('takes the configuration and its rules', () => {
    const { code, output } = promtool('check', 'config', '--lint=all', 'prometheus.yml');
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });

  it('finds each alert firing, and not firing, when it should', () => {
    const { code, output } = promtool('test', 'rules', 'rules_test.yml');
    expect(output).toContain('SUCCESS');
    expect(code).toBe(0);
  });
});
