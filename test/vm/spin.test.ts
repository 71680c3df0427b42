// SPDX-License-Identifier: Apache-2.0
/** Threads that spin are found where there are counters too, and the counters are part of the evidence. */
import { beforeAll, describe, expect, it } from 'vitest';
import { hookMillis, patientMillis } from './harness/files.js';
import { runSpinPrograms, toldBy, VM_SPINNING, VM_WORKING, type SpinRow } from './harness/spin.js';

/** Half a minute where nobody else is: as soon as each has its verdict. */
const LIMIT_SECONDS = patientMillis(120) / 1000;
const LIMIT_MILLIS = patientMillis(200);
const LOOKS = 1;
const MIN_RIGHT_RATIO = 0.95;
const MIN_TOLD_RATIO = 0.9;
const SPINNING = new Set(
  'pause flag callback bounded spinlock yield poll epoll receive clock futex'
    .split(' ')
    .map((kind) => `${kind} -O2`),
);
const WORKING = new Set(
  'hash prng counter chase copy sort matrix collatz interpreter'
    .split(' ')
    .map((kind) => `${kind} -O2`),
);

let rows: readonly SpinRow[];

beforeAll(async () => {
  const programs = [
    ...VM_SPINNING.filter(({ name }) => SPINNING.has(name)),
    ...VM_WORKING.filter(({ name }) => WORKING.has(name)),
  ];
  rows = await runSpinPrograms({
    programs,
    atATime: programs.length,
    looks: LOOKS,
    limitSeconds: LIMIT_SECONDS,
    limitMillis: LIMIT_MILLIS,
  });
}, hookMillis(LIMIT_MILLIS));

const spinners = () => rows.filter(({ program }) => program.kinds.length > 0);
const workers = () => rows.filter(({ program }) => program.kinds.length === 0);

describe('wattfeed run on a machine with counters', () => {
  it('says of every program that waits awake how it does so', () => {
    expect(
      spinners()
        .map(({ program }) => program.name)
        .sort(),
    ).toEqual([...SPINNING].sort());
    for (const row of spinners())
      expect(toldBy(row).length, row.program.name).toBeGreaterThanOrEqual(LOOKS);
    const looks = spinners().flatMap((row) =>
      toldBy(row).map(({ kind, evidence }) => ({ program: row.program, kind, evidence })),
    );
    const wrong = looks.filter(({ program, kind }) => !program.kinds.includes(kind));
    console.log(`${String(looks.length)} looks, ${String(wrong.length)} wrong`);
    for (const { program, kind, evidence } of wrong) console.log(program.name, kind, evidence);
    expect(1 - wrong.length / looks.length).toBeGreaterThanOrEqual(MIN_RIGHT_RATIO);
  });

  it('says of no program that works that it spins', () => {
    expect(workers().length).toBe(WORKING.size);
    for (const row of workers())
      expect(toldBy(row).length, row.program.name).toBeGreaterThanOrEqual(LOOKS);
    const called = workers().flatMap(({ program, looks }) =>
      looks.filter(({ verdict }) => verdict === 'spinning').map((look) => [program.name, look]),
    );
    expect(called).toEqual([]);
  });

  it('can tell at nine looks of ten', () => {
    const looks = rows.flatMap((row) => row.looks);
    const told = rows.flatMap(toldBy);
    console.log(`${String(told.length)} of ${String(looks.length)} looks could tell`);
    expect(told.length / looks.length).toBeGreaterThanOrEqual(MIN_TOLD_RATIO);
  });

  it('has what the counters say in the evidence', () => {
    // A program has its class only some time after its start.
    const said = (name: string): string =>
      rows
        .find(({ program }) => program.name === name)
        ?.looks.map((look) => look.evidence)
        .join('\n') ?? '';
    console.log(said('pause -O2'));
    expect(said('pause -O2')).toMatch(
      /IPC 0\.[01]\d, \d\.\d cache misses per 1000 instructions, (2\d|3\d) % branches/,
    );
    expect(said('flag -O2')).toMatch(/IPC [12]\.\d\d, 0\.\d cache misses .*, (4\d|5\d) % branches/);
  });
});
