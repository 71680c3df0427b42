// SPDX-License-Identifier: Apache-2.0
/** The shipped rules against the table of instruments; their behaviour is promtool's to test. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { exportedMetrics, unknownNames } from '../../../scripts/dashboards/lint.js';

/**
 * What the rules ask for before the agent exports it: the spin detector. The table of instruments comes
 * before this list: a name that has come into it must have the labels that the rules use.
 */
const ANNOUNCED = new Map<string, readonly string[]>([
  ['wattfeed_spin_time_seconds_total', spinLabels()],
  ['wattfeed_spin_energy_joules_total', spinLabels()],
]);

function spinLabels(): readonly string[] {
  return [
    'process_pid',
    'process_executable_name',
    'thread_id',
    'thread_name',
    'wattfeed_spin_kind',
  ];
}

const ruleFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          record: z.string().optional(),
          alert: z.string().optional(),
          expr: z.string(),
          annotations: z.record(z.string(), z.string()).optional(),
          labels: z.record(z.string(), z.string()).optional(),
        }),
      ),
    }),
  ),
});

const RULES = ruleFile
  .parse(
    parse(
      readFileSync(new URL('../../../otel-config/prometheus/rules.yml', import.meta.url), 'utf8'),
    ),
  )
  .groups.flatMap(({ rules }) => rules);

describe('otel-config/prometheus/rules.yml', () => {
  const exported = exportedMetrics();

  it('asks only for metrics and labels that the agent exports, or is about to', () => {
    const known = new Map([...ANNOUNCED, ...exported]);
    // The recorded names (with a colon) are Prometheus' own; promtool knows them.
    for (const { expr, alert, record } of RULES.filter((rule) => !/\w:\w/.test(rule.expr)))
      expect({ rule: alert ?? record, faults: unknownNames(expr, known) }).toEqual({
        rule: alert ?? record,
        faults: [],
      });
  });

  it('gives each alert a severity, a summary with the node, and a description', () => {
    const alerts = RULES.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(8);
    for (const { labels, annotations } of alerts) {
      expect(labels?.['severity']).toMatch(/^(warning|info|critical)$/);
      expect(annotations?.['summary']).toContain('$labels.host_name');
      expect(annotations?.['description']).toBeTruthy();
    }
  });
});
