// SPDX-License-Identifier: Apache-2.0
/**
 * agent-faults.mjs perf|powercap: the agent, then a mixed load, and under it steady windows and each fault once. Judged by agent.test.ts.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

import { control, load, now, out, save, startAgent } from './agent.mjs';

const [source] = process.argv.slice(2);
const WINDOW_MILLIS = 500;
const STEADY_WINDOWS = 8;
const FAULT_WINDOWS = 3;

/** What perf shows of it: a counter of 64 bits neither wraps nor is reset, and its file cannot be garbage. */
const FAULTS = {
  perf: [
    ['freeze', 'package-0 freeze'],
    ['jump', 'package-0 jump 2000000000'],
  ],
  powercap: [
    ['reset', 'package-0 reset'],
    ['freeze', 'package-0 freeze'],
    ['garbage', 'package-0 garbage 18446744073709551615'],
    ['above-range', 'dram-0 garbage 999999999999999'],
    ['error', 'package-0 error'],
    ['jump', 'package-0 jump 2000000000'],
  ],
};

const MIX = [
  ['int_hi', 3600, 'duty=200'],
  ['stream', 3600, 'duty=150', 'period=50000', 'threads=2'],
  ['avx512', 3600, 'cpu=1', 'duty=150'],
  ['chase', 3600, 'cpu=3', 'duty=200'],
  ['tiny', 3600, 'forks=1000', 'duty=300', 'period=5000'],
];

const ENERGY_FILE = '/sys/class/powercap/intel-rapl:0/energy_uj';

const mark = (phase) => appendFileSync(out(`${source}.phases`), `${now()}\t${phase}\n`);
writeFileSync(out(`${source}.phases`), '');

const agent = await startAgent(source, { sources: [source], windowMillis: WINDOW_MILLIS });
// threads, duty cycles, pinned and not, and a storm of short processes; after the agent's start, which is most of
// a minute of CPU time under TCG
const loads = MIX.map((words) => load(...words));
await agent.windows(3);
mark('steady');
await agent.windows(STEADY_WINDOWS);
for (const [name, fault] of FAULTS[source]) {
  mark(name);
  control('fault', fault);
  await agent.windows(FAULT_WINDOWS);
  const [zone] = fault.split(' ');
  control('fault', zone, 'ok');
  mark('after');
  await agent.windows(2);
}
if (source === 'powercap') {
  // the leap to 300 J before the end is a fault; the wrap after it is how counters are
  mark('near-end');
  control('fault', 'package-0 wrap 300000000');
  await agent.windows(2);
  mark('wrap');
  while (Number(readFileSync(ENERGY_FILE, 'utf8')) > 100_000_000_000) await agent.windows(1);
  await agent.windows(1);
}
mark('suspend');
control('suspend', '45000', 'reset');
await agent.windows(FAULT_WINDOWS);
mark('end');
await agent.windows(2);
for (const one of loads) await one.stop();
const code = await agent.stop();
save('reads', `${source}.reads`);
writeFileSync(out(`${source}.exit`), `${code}\n`);
process.exit(0);
