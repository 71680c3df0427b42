// SPDX-License-Identifier: Apache-2.0
/** energy-cap in the simulated machine: half of its natural power, hard and soft. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bootAndRun, hookMillis, patientMillis, type Run } from '../harness/files.js';
import { useOf } from './groups.js';
import { buildSchedulers } from './build.js';

const LIMIT_MILLIS = patientMillis(240);
const [CAPPED, OTHER] = ['int_mid_b', 'int_mid_w'] as const;
const MAX_HOLD_MICROS = 200_000;

const facts = z.object({
  naturalWatts: z.number(),
  budgetWatts: z.number(),
  feed: z.object({ source: z.string() }),
  hard: z.record(z.string(), z.number()),
  soft: z.record(z.string(), z.number()),
});

let run: Run;
let seen: z.infer<typeof facts>;

beforeAll(async () => {
  buildSchedulers();
  run = await bootAndRun(
    'smt',
    '7.3',
    'insmod /vm/simhw/simhw.ko || exit 1\nnode /product/test/vm/feed/guest/cap.mjs 6 int_mid',
    LIMIT_MILLIS,
  );
  seen = facts.parse(JSON.parse(run.text('cap.json')));
  for (const name of [
    'natural',
    'settle-0',
    'settle-1',
    'settle-2',
    'settle-3',
    'settle-4',
    'hard',
    'soft',
  ]) {
    const [capped, other] = [useOf(run, name, CAPPED), useOf(run, name, OTHER)];
    console.log(
      `${name}: capped ${capped.watts.toFixed(2)} W (budget ${seen.budgetWatts.toFixed(2)}), others ${other.watts.toFixed(2)} W, ${other.cpuSeconds.toFixed(2)} CPU s`,
    );
  }
  console.log(`longest hold ${String(seen.hard['longest hold'] ?? 0)} us`);
}, hookMillis(LIMIT_MILLIS));

describe('scx_energy_cap', () => {
  it('brings a cgroup within 10 % of its budget, and has done so within 5 s', () => {
    expect(seen.feed.source).toBe('measured');
    for (const name of ['settle-4', 'hard']) {
      const ratio = useOf(run, name, CAPPED).watts / seen.budgetWatts;
      expect(ratio).toBeGreaterThan(0.9);
      expect(ratio).toBeLessThan(1.1);
    }
  });

  it('takes nothing from the others', () => {
    const [before, after] = [useOf(run, 'natural', OTHER), useOf(run, 'hard', OTHER)];
    expect(after.cpuSeconds / before.cpuSeconds).toBeGreaterThan(0.95);
  });

  it('never holds a task longer than max_hold and the time to find it a CPU', () => {
    expect(seen.hard['held']).toBeGreaterThan(0);
    expect(seen.hard['longest hold']).toBeLessThan(MAX_HOLD_MICROS * 2);
  });

  it('is work-conserving where the budget is soft and nobody else wants the CPU', () => {
    expect(useOf(run, 'soft', CAPPED).watts / seen.naturalWatts).toBeGreaterThan(0.9);
    expect(seen.soft['yielded']).toBeGreaterThan(0);
  });
});
