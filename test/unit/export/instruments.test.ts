// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ATTRIBUTES } from '../../../receiver/export/attributes.js';
import { metricsDocument } from '../../../receiver/export/docs.js';
import { INSTRUMENTS, type Instrument } from '../../../receiver/export/instruments.js';
import { prometheusName } from '../../../receiver/export/prometheus-name.js';

const all: readonly Instrument[] = Object.values(INSTRUMENTS);

describe('INSTRUMENTS', () => {
  it('names each instrument once', () => {
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const prometheus = all.map(prometheusName);
    expect(new Set(prometheus).size).toBe(prometheus.length);
  });

  it.each(all.map((one) => [one.name, one] as const))(
    '%s carries neither a unit nor `total` in its name',
    (name) => {
      expect(name).toMatch(/^(hw|wattfeed)(\.[a-z][a-z_]*)+$/);
      expect(name).not.toMatch(/joule|watt(?!feed)|second|byte|total|percent|_ratio/);
    },
  );

  it('uses only the units of the wire', () => {
    for (const { unit } of all) expect(unit).toMatch(/^(J|W|s|By|1|\{[a-z]+\})$/);
  });

  it('squats on no name of OpenTelemetry but the ones it implements', () => {
    const foreign = all.map(({ name }) => name).filter((name) => !name.startsWith('wattfeed.'));
    expect(foreign).toEqual(['hw.energy', 'hw.host.energy']);
    const attributes = Object.values(ATTRIBUTES).map(([name]) => name);
    expect(
      attributes.filter((name) =>
        /^(hw|process|thread|otel|cpu|container|k8s|user|wattfeed)\./.test(name),
      ),
    ).toEqual(attributes);
  });
});

describe('prometheusName', () => {
  it.each([
    ['hwEnergy', 'hw_energy_joules_total'],
    ['restPower', 'wattfeed_rest_power_watts'],
    ['processEnergy', 'wattfeed_process_energy_joules_total'],
    ['slotsUsed', 'wattfeed_slots_used'],
    ['agentMemory', 'wattfeed_agent_memory_resident_bytes'],
    ['sourceState', 'wattfeed_source_state_ratio'],
  ] as const)('spells out %s', (key, name) => {
    expect(prometheusName(INSTRUMENTS[key])).toBe(name);
  });
});

describe('docs/metrics.md', () => {
  it('is what the table says', () => {
    const page = new URL('../../../docs/metrics.md', import.meta.url);
    expect(readFileSync(page, 'utf8')).toBe(metricsDocument());
  });
});
