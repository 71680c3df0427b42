// SPDX-License-Identifier: Apache-2.0
/** agent-faults.mjs perf|powercap: steady load, then each fault once. Judged by agent.test.ts. */
import { appendFileSync, writeFileSync } from 'node:fs';

import { control, load, now, out, save, startAgent, truth } from './agent.mjs';

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
    ['wrap', 'package-0 wrap 3000000'],
    ['reset', 'package-0 reset'],
    ['freeze', 'package-0 freeze'],
    ['garbage', 'package-0 garbage 18446744073709551615'],
    ['above-range', 'dram-0 garbage 999999999999999'],
    ['error', 'package-0 error'],
    ['jump', 'package-0 jump 2000000000'],
  ],
};

const mark = (phase) => appendFileSync(out(`${source}.phases`), `${now()}\t${phase}\n`);
writeFileSync(out(`${source}.phases`), '');

const loads = [
  load('int_hi', 300, 'duty=500', 'threads=2'),
  load('stream', 300, 'duty=300', 'cpu=3'),
];
const agent = await startAgent(source, { sources: [source], windowMillis: WINDOW_MILLIS });
await agent.windows(2);
mark('steady');
truth(`${source}-0`);
await agent.windows(STEADY_WINDOWS);
truth(`${source}-1`);
for (const [name, fault] of FAULTS[source]) {
  mark(name);
  control('fault', fault);
  await agent.windows(FAULT_WINDOWS);
  const [zone] = fault.split(' ');
  control('fault', zone, 'ok');
  mark('after');
  await agent.windows(2);
}
mark('suspend');
control('suspend', '45000', 'reset');
await agent.windows(FAULT_WINDOWS);
mark('end');
await agent.windows(2);
const code = await agent.stop();
for (const one of loads) await one.stop();
save('reads', `${source}.reads`);
writeFileSync(out(`${source}.exit`), `${code}\n`);
process.exit(0);
