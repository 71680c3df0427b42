// SPDX-License-Identifier: Apache-2.0
/**
 * Both schedulers on a live agent's feed, by the machine's own truth. Longer runs, EEVDF beside them, budgets that settle, the
 * next agent and headroom are `npm run bench:schedulers`'s.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bootAndRun, hookMillis, patientMillis, type Run } from './harness/files.js';
import { buildSchedulers } from './feed/build.js';
import { shareOf, useOf } from './feed/groups.js';

const LIMIT_MILLIS = patientMillis(150);
const BUDGET_WATTS = 3;
/** VALIDITY_MILLIS of guest/machine.mjs, and the last publishing of an agent that is being killed. */
const EXPIRY_LIMIT_MILLIS = 2500 + 100;

const stats = z.object({
  'by energy': z.number(),
  'by time': z.number(),
  ok: z.number(),
  expired: z.number(),
  held: z.number(),
  'longest hold': z.number(),
});
const facts = z.object({
  fair: stats,
  fairLateLooks: z.number(),
  capLateLooks: z.number(),
  cap: stats,
  orphan: stats,
  expiredAfterMillis: z.number(),
  state: z.string(),
});

let run: Run;
let seen: z.infer<typeof facts>;

beforeAll(async () => {
  buildSchedulers();
  const script = [
    'insmod /vm/simhw/simhw.ko || exit 1',
    `taskset -c 0,1 node /product/test/vm/feed/guest/live.mjs ${String(BUDGET_WATTS)}`,
  ];
  run = await bootAndRun('smt', '7.3', script.join('\n'), LIMIT_MILLIS);
  seen = facts.parse(JSON.parse(run.text('live.json')));
}, hookMillis(LIMIT_MILLIS));

describe('scx_energy_fair on a live feed', () => {
  it('gives tasks of different power the same energy, so different time', () => {
    const { energy, time } = shareOf(run, 'fair', ['dense', 'chase']);
    console.log(
      `energy-fair: dense has ${energy.toFixed(3)} of the energy, ${time.toFixed(3)} of the time`,
    );
    // two thirds under EEVDF; the agent has just started and has learnt nothing
    expect(seen.fairLateLooks).toBe(0);
    expect(energy).toBeGreaterThan(0.45);
    expect(energy).toBeLessThan(0.55);
    expect(time).toBeLessThan(0.45);
    expect(seen.fair['by energy']).toBeGreaterThan(seen.fair['by time']);
  });
});

describe('scx_energy_cap on a live feed', () => {
  it('holds a cgroup to its budget', () => {
    const capped = useOf(run, 'cap', 'int_mid_b');
    console.log(`energy-cap: ${capped.watts.toFixed(2)} W of ${String(BUDGET_WATTS)} W`);
    expect(seen.capLateLooks).toBe(0);
    expect(capped.watts / BUDGET_WATTS).toBeGreaterThan(0.9);
    expect(capped.watts / BUDGET_WATTS).toBeLessThan(1.1);
    expect(seen.cap.held).toBeGreaterThan(0);
  });

  it('is fair by time once the agent is dead, and nothing stalls', () => {
    const { time } = shareOf(run, 'orphan', ['int_mid_b', 'int_mid_w']);
    console.log(
      `feed expired after ${(seen.expiredAfterMillis / 1000).toFixed(1)} s; capped has ${time.toFixed(3)}`,
    );
    expect(seen.expiredAfterMillis).toBeLessThan(EXPIRY_LIMIT_MILLIS);
    expect(time).toBeGreaterThan(0.42);
    expect(time).toBeLessThan(0.58);
    expect(seen.state).toBe('enabled');
    expect(seen.orphan.expired).toBeGreaterThan(seen.cap.expired);
  });
});
