// SPDX-License-Identifier: Apache-2.0
/**
 * What one window of 10,000 live tasks costs Node: decoding its bytes, splitting its energy with every field of
 * the counter model filled, and booking it to processes and cgroups. No kernel, no root.
 *
 *   npx tsx bench/window/user-space.ts [TASKS]
 */
import { cpus, release } from 'node:os';
import { argv, cpuUsage, stdout } from 'node:process';
import * as E from 'fp-ts/lib/Either.js';
import * as layout from '../../native/layout.generated.js';
import { windowReader } from '../../receiver/activity/decode.js';
import { attribute, DEFAULT_SETTINGS } from '../../receiver/attribution/attribute.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { UNNAMED } from '../../receiver/attribution/unnamed.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import { watts } from '../../receiver/model/units.js';
import { encodeBatch } from '../../test/support/encode-window.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  dramDomain,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../test/support/windows.js';
import { median } from '../lib/statistics.js';

const ROUNDS = 41;
const WARM_UP = 10;
const MICROS_PER_MILLI = 1000;
const PACKAGES = 2;

const taskCount = Number(argv[2] ?? 10_000);

/** Deltas of a second of a busy machine: none of them small, half of the tasks counted. */
const task = (at: number) => {
  const runtimeNanos = 20_000 + ((at * 7919) % 900_000);
  const isCounted = at % 2 === 0;
  const cycles = isCounted ? runtimeNanos * 3 : 0;
  return taskSample({
    slot: at + 1,
    tid: 1000 + at,
    tgid: 1000 + Math.floor(at / 2),
    cpuDomain: at % PACKAGES,
    cgroupId: BigInt(1 + (at % 300)),
    comm: `worker/${String(at % 500)}`,
    processComm: `server-${String(at % 200)}`,
    runtimeNanos,
    overlapNanos: Math.floor(runtimeNanos / 3),
    uncountedNanos: isCounted ? 0 : runtimeNanos,
    cycles,
    instructions: cycles * 2,
    llcMisses: Math.floor(cycles / 900),
    vectorOps: at % 10 === 0 ? Math.floor(cycles / 2) : 0,
    phiCycles: cycles,
    phiInstructions: cycles * 2,
    uncountedPhiCycles: isCounted ? 0 : runtimeNanos * 2,
    packageOnNanos: Math.floor(runtimeNanos / 4),
    queueWaitNanos: at * 100,
    predictedCoreNanojoules: runtimeNanos * 3,
    predictedNanojoules: runtimeNanos * 4,
    voluntarySwitches: at % 50,
  });
};

const window: ActivityWindow = activityWindow({
  tasks: Array.from({ length: taskCount }, (_, at) => task(at)),
  cpus: Array.from({ length: 64 }, (_, cpu) =>
    cpuSample({ cpu, cpuDomain: cpu % PACKAGES, taskNanos: 1e8, countedNanos: 5e7, cycles: 3e8 }),
  ),
});
const batch = encodeBatch([window]);
/** As the agent has it. */
const read = windowReader(layout, { reusesRows: true });
const topology = topologyOf(PACKAGES, 32);
const domains = [packageDomain(0), packageDomain(1), dramDomain(0), dramDomain(1)];
const readings = domains.map((domain) => advancedReading(domain, 90_000_000));
const idleFloors = new Map(domains.map(({ id }) => [id, watts(10)]));

const ledger = new Ledger({ startUnixMillis: 0 }, UNNAMED);

const times: Record<'decode' | 'attribute' | 'book' | 'all' | 'cpu', number[]> = {
  decode: [],
  attribute: [],
  book: [],
  all: [],
  cpu: [],
};
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const usage = cpuUsage();
  const begin = performance.now();
  const [decoded] = read(batch);
  const middle = performance.now();
  if (decoded === undefined || E.isLeft(decoded)) throw new Error('the batch does not decode');
  const first = decoded.right;
  const attribution = attribute({
    window: first,
    readings,
    topology,
    idleFloors,
    settings: DEFAULT_SETTINGS,
  });
  const split = performance.now();
  ledger.book(first, readings, attribution);
  const end = performance.now();
  const { balances, inconsistencies } = attribution;
  if (balances.length !== domains.length || inconsistencies.length > 0)
    throw new Error('the window was not split');
  if (round < WARM_UP) continue;
  const spent = cpuUsage(usage);
  times.decode.push(middle - begin);
  times.attribute.push(split - middle);
  times.book.push(end - split);
  times.all.push(end - begin);
  times.cpu.push((spent.user + spent.system) / MICROS_PER_MILLI);
}

const row = (name: string, values: readonly number[]): void => {
  const sorted = [...values].sort((a, b) => a - b);
  const cells = [median(values), sorted[0] ?? 0, sorted.at(-1) ?? 0].map((value) =>
    value.toFixed(2).padStart(8),
  );
  stdout.write(`${name.padEnd(28)}${cells.join('')}\n`);
};
const machine = `${cpus()[0]?.model ?? 'unknown'}, ${String(cpus().length)} CPUs, Linux ${release()}`;
stdout.write(`machine: ${machine}; ${String(taskCount)} tasks, ${String(ROUNDS)} rounds\n`);
stdout.write(
  `${'ms'.padEnd(28)}${['median', 'lowest', 'highest'].map((text) => text.padStart(8)).join('')}\n`,
);
row('decode', times.decode);
row(`attribute, ${String(domains.length)} domains`, times.attribute);
row('book', times.book);
row('whole window', times.all);
row('its CPU, all threads', times.cpu);
