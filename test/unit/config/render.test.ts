// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { decodeConfigFile } from '../../../receiver/config/decode.js';
import { CONFIG_KEYS, childNames } from '../../../receiver/config/keys.js';
import {
  DEFAULT_CONFIG_FILE,
  renderConfigFile,
  wrapText,
} from '../../../receiver/config/render.js';
import {
  ATTRIBUTION_MODELS,
  DRAM_SPLITS,
  IDLE_POLICIES,
} from '../../../receiver/config/attribution-schema.js';
import {
  CGROUP_HIERARCHIES,
  ENERGY_SOURCE_NAMES,
  LOG_LEVELS,
  configSchema,
} from '../../../receiver/config/schema.js';

const read = (text: string) =>
  decodeConfigFile({ file: { path: 'f', text }, flags: new Map(), env: {} });

const path = fc.stringMatching(/^\/[ -~]{0,30}$/);
const watts = fc.double({ min: 0.001, max: 1e6, noNaN: true });
const section = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(fields, { requiredKeys: [] });

/** Any valid file: each key there or not, with any value its schema admits. */
const anyFile = section({
  window_millis: fc.integer({ min: 20, max: 3_600_000 }),
  roots: section({ sysfs: path, procfs: path, cgroup: path }),
  accounting: section({
    max_tasks: fc.integer({ min: 8, max: 22 }).map((power) => 2 ** power),
    cgroup_hierarchy: fc.constantFrom(...CGROUP_HIERARCHIES),
    bpf_stats: fc.boolean(),
  }),
  energy: fc.oneof(
    section({
      tdp_watts: watts,
      idle_watts: watts,
      max_plausible_watts: watts,
      core_counters: fc.boolean(),
    }),
    section({
      sources: fc.oneof(
        fc.constant('auto'),
        fc.uniqueArray(fc.constantFrom(...ENERGY_SOURCE_NAMES), { minLength: 1 }),
      ),
      model: fc
        .tuple(watts, watts, fc.double({ min: 0.01, max: 10, noNaN: true }))
        .map(([a, b, gamma]) => ({
          idle_watts: Math.min(a, b),
          max_watts: Math.max(a, b),
          gamma,
        })),
    }),
  ),
  attribution: section({
    model: fc.constantFrom(...ATTRIBUTION_MODELS),
    idle_policy: fc.constantFrom(...IDLE_POLICIES),
    calibrate: fc.boolean(),
    seed: section({ alpha: fc.double({ min: 0, max: 1, noNaN: true }) }),
  }),
  dram: section({ split: fc.constantFrom(...DRAM_SPLITS), model: fc.constantFrom('on', 'off') }),
  ledger: section({ max_exited: fc.integer({ min: 0, max: 4_194_304 }) }),
  export: section({ levels: section({ thread: fc.boolean(), process: fc.boolean() }) }),
  agent: section({ socket_path: path, pin_directory: path, state_directory: path }),
  log: section({ level: fc.constantFrom(...LOG_LEVELS) }),
});

describe('renderConfigFile', () => {
  it('prints defaults that read back as the defaults', () => {
    const text = renderConfigFile(DEFAULT_CONFIG_FILE);
    expect(read(text)).toEqual(E.right(DEFAULT_CONFIG_FILE));
  });

  it('prints any configuration so that it reads back as itself', () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        const values = configSchema.parse(file);
        expect(read(renderConfigFile(values))).toEqual(E.right(values));
      }),
    );
  });

  it('shows every key, with those that have no default commented out', () => {
    const text = renderConfigFile(DEFAULT_CONFIG_FILE);
    for (const { path: keyPath } of CONFIG_KEYS) {
      expect(text).toMatch(new RegExp(`^[ #]*${keyPath.at(-1) ?? ''}: `, 'm'));
    }
    // Uncommented, the model is a valid section.
    const uncommented = text
      .split('\n')
      .map((line) => line.replace(/^( *)# (model:|  (idle_watts|max_watts|gamma): .*)$/, '$1$2'))
      .join('\n');
    expect(parse(uncommented)).toMatchObject({
      energy: { model: { idle_watts: 12, max_watts: 65, gamma: 1 } },
    });
    expect(E.isRight(read(uncommented))).toBe(true);
  });
});

describe('CONFIG_KEYS', () => {
  it('gives every key a unit in its name where it has one, a description and a reason', () => {
    for (const { notes, dotted } of CONFIG_KEYS) {
      expect(notes.description, dotted).toMatch(/\.$/);
      expect(notes.reason, dotted).toMatch(/\.$/);
      if (/ in watts| watts /.test(notes.description)) expect(dotted).toMatch(/_watts$/);
      if (/milliseconds/.test(notes.description)) expect(dotted).toMatch(/_millis$/);
    }
  });

  it('makes no flag twice', () => {
    const flags = CONFIG_KEYS.flatMap(({ flag, notes }) =>
      notes.alias === undefined ? [flag] : [flag, notes.alias],
    );
    expect(new Set(flags).size).toBe(flags.length);
  });
});

describe('childNames', () => {
  it('lists a section and knows what is none', () => {
    expect(childNames(['energy', 'model'])).toEqual(['idle_watts', 'max_watts', 'gamma']);
    expect(childNames(['window_millis'])).toBeUndefined();
    expect(childNames(['nothing'])).toBeUndefined();
  });
});

describe('wrapText', () => {
  it('keeps every word and no line longer than asked, unless one word is', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (list, width) => {
        const lines = wrapText(list.join(' '), width);
        expect(lines.join(' ')).toBe(list.join(' '));
        expect(lines.every((line) => line.length <= width)).toBe(true);
      }),
    );
  });
});
