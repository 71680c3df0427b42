// SPDX-License-Identifier: Apache-2.0
/**
 * Two agents, one on each energy source, then a mixed load, and under it steady windows and each fault once. Judged by agent.test.ts.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

import { control, load, now, out, save, startAgent } from './agent.mjs';

const WINDOW_MILLIS = 500;
const STEADY_WINDOWS = 6;
const FAULT_WINDOWS = 3;

/** A perf counter of 64 bits neither wraps nor is reset, and its file cannot be garbage: it shows two of them. */
const FAULTS = [
  ['reset', 'package-0 reset'],
  ['freeze', 'package-0 freeze'],
  ['garbage', 'package-0 garbage 18446744073709551615'],
  ['above-range', 'dram-0 garbage 999999999999999'],
  ['error', 'package-0 error'],
  ['jump', 'package-0 jump 2000000000'],
];

/** Half a CPU in all: every process that a host of two cores has to play makes all windows later. */
const MIX = [
  ['int_hi', 3600, 'duty=100'],
  ['stream', 3600, 'duty=100', 'period=50000', 'threads=2'],
  ['avx512', 3600, 'cpu=1', 'duty=100'],
  ['chase', 3600, 'cpu=3', 'duty=100'],
  ['tiny', 3600, 'forks=1000', 'duty=20', 'period=50000'],
];

/** Looking into the loads' code keeps an agent from reporting for seconds under TCG: a fault would pass unseen. */
const NO_SPIN = 'spin:\n  enabled: false';

const ENERGY_FILE = '/sys/class/powercap/intel-rapl:0/energy_uj';

const mark = (phase) => appendFileSync(out('faults.phases'), `${now()}\t${phase}\n`);
writeFileSync(out('faults.phases'), '');

const agents = await Promise.all(
  ['perf', 'powercap'].map((source) =>
    startAgent(source, { sources: [source], windowMillis: WINDOW_MILLIS, config: NO_SPIN }),
  ),
);
const windows = (count) => Promise.all(agents.map((agent) => agent.windows(count)));
// threads, duty cycles, pinned and not, and a storm of short processes; after the agents' start, which is most of
// a minute of CPU time under TCG
const loads = MIX.map((words) => load({}, ...words));
await windows(3);
mark('steady');
await windows(STEADY_WINDOWS);
for (const [name, fault] of FAULTS) {
  mark(name);
  control('fault', fault);
  await windows(FAULT_WINDOWS);
  const [zone] = fault.split(' ');
  control('fault', zone, 'ok');
  mark('after');
  await windows(2);
}
// the leap to 150 J before the end is a fault; the wrap after it is how counters are
mark('near-end');
control('fault', 'package-0 wrap 150000000');
await windows(2);
mark('wrap');
while (Number(readFileSync(ENERGY_FILE, 'utf8')) > 100_000_000_000) await windows(1);
await windows(1);
mark('suspend');
control('suspend', '45000', 'reset');
await windows(FAULT_WINDOWS);
mark('end');
await windows(2);
for (const one of loads) await one.stop();
const codes = await Promise.all(agents.map((agent) => agent.stop()));
save('reads', 'faults.reads');
writeFileSync(out('agents.exit'), `${codes.join(' ')}\n`);
process.exit(0);
