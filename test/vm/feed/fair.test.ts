// SPDX-License-Identifier: Apache-2.0
/** energy-fair in the simulated machine, and what becomes of it when the agent is killed and comes back. */
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bootAndRun, hookMillis, patientMillis, type Run } from '../harness/files.js';
import { shareOf } from './groups.js';
import { buildSchedulers } from './build.js';

const LIMIT_MILLIS = patientMillis(240);
const GROUPS = ['avx2', 'int_mid'] as const;
/** Whoever shares the machine's two cores with the guest moves CPU time by a few percent. */
const TOLERANCE = 0.05;

const facts = z.object({
  pids: z.array(z.number()),
  feed: z.object({ status: z.string(), source: z.string(), hasTasks: z.boolean() }),
  tasks: z.object({
    tasks: z.array(z.object({ pid: z.number(), ageMillis: z.number(), runWatts: z.number() })),
  }),
  okBefore: z.number(),
  byEnergyBefore: z.number(),
  idsBefore: z.array(z.number()),
  idsAfter: z.array(z.number()),
  expiredAfterMillis: z.number(),
  orphan: z.record(z.string(), z.number()),
  again: z.record(z.string(), z.number()),
  state: z.string(),
  stateAgain: z.string(),
  withdrawn: z.string(),
});

let run: Run;
let seen: z.infer<typeof facts>;

beforeAll(async () => {
  buildSchedulers();
  run = await bootAndRun(
    'smt',
    '7.3',
    'insmod /vm/simhw/simhw.ko || exit 1\nnode /product/test/vm/feed/guest/fair.mjs 6',
    LIMIT_MILLIS,
  );
  seen = facts.parse(JSON.parse(run.text('fair.json')));
  for (const name of ['eevdf', 'fair', 'orphan', 'again']) {
    const { energy, time } = shareOf(run, name, GROUPS);
    console.log(
      `${name}: avx2 has ${(energy * 100).toFixed(1)} % of the energy, ${(time * 100).toFixed(1)} % of the CPU time`,
    );
  }
}, hookMillis(LIMIT_MILLIS));

describe('under EEVDF', () => {
  it('equal time gives the denser group about two thirds of the energy', () => {
    const { energy, time } = shareOf(run, 'eevdf', GROUPS);
    expect(Math.abs(time - 0.5)).toBeLessThan(TOLERANCE);
    expect(energy).toBeGreaterThan(0.58);
  });
});

describe('scx_energy_fair', () => {
  it('gives both groups the same energy, by the machine’s own truth', () => {
    const { energy, time } = shareOf(run, 'fair', GROUPS);
    expect(Math.abs(energy - 0.5)).toBeLessThan(TOLERANCE);
    expect(time).toBeLessThan(0.47);
    expect(seen.byEnergyBefore).toBeGreaterThan(0);
  });

  it('reads a live, measured feed whose entries are as old as the last switch', () => {
    expect(seen.feed).toMatchObject({ status: 'ok', source: 'measured', hasTasks: true });
    const ours = seen.tasks.tasks.filter(({ pid }) => seen.pids.includes(pid));
    expect(ours.length).toBeGreaterThanOrEqual(8);
    for (const task of ours) expect(task.runWatts).toBeGreaterThan(0);
  });

  it('goes to fair time when the agent is killed, within the validity, without a stall', () => {
    // three windows of 250 ms, and the look itself starts a Node under TCG
    expect(seen.expiredAfterMillis).toBeLessThan(patientMillis(15));
    expect(seen.orphan['expired']).toBeGreaterThan(0);
    expect(seen.state).toBe('enabled');
    const { time } = shareOf(run, 'orphan', GROUPS);
    expect(Math.abs(time - 0.5)).toBeLessThan(TOLERANCE);
  });

  it('takes the feed of the next agent up again, by the same pins', () => {
    expect(seen.idsAfter).toEqual(seen.idsBefore);
    expect(seen.again['ok']).toBeGreaterThan(seen.orphan['ok'] ?? 0);
    expect(seen.stateAgain).toBe('enabled');
    const { energy } = shareOf(run, 'again', GROUPS);
    expect(Math.abs(energy - 0.5)).toBeLessThan(TOLERANCE);
  });

  it('finds the feed expired when the agent ends in order', () => {
    expect(seen.withdrawn).toBe('expired');
  });
});
