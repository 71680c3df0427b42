// SPDX-License-Identifier: Apache-2.0
/**
 * The agent under mixes of load whose true split is known: for each, its reports and the truth at both ends.
 * Read by bench/truth. agent-mixes.mjs SECONDS_PER_MIX
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { control, load, out, startAgent, truth } from './agent.mjs';

const [seconds = '5'] = process.argv.slice(2);
const FULL_KHZ = 3_500_000;

/**
 * Numbered as in the evaluation of the model that this physics comes from. CPUs 0 and 1 are siblings, 2 and 3
 * too; a load belongs to the class that its name starts with.
 */
const MIXES = [
  {
    name: '01 equal compute',
    loads: [
      ['int_mid_a', 0],
      ['int_mid_b', 2],
    ],
  },
  {
    name: '02 int | AVX-512',
    loads: [
      ['int_mid', 0],
      ['avx512', 2],
    ],
  },
  {
    name: '03 int | AVX2',
    loads: [
      ['int_mid', 0],
      ['avx2', 2],
    ],
  },
  {
    name: '04 IPC 2.6 | IPC 0.8',
    loads: [
      ['int_hi', 0],
      ['br_lo', 2],
    ],
  },
  {
    name: '05 stream | compute',
    loads: [
      ['stream', 0],
      ['int_mid', 2],
    ],
  },
  {
    name: '06 pointer chase | compute',
    loads: [
      ['chase', 0],
      ['int_mid', 2],
    ],
  },
  {
    name: '07 SMT pair | alone',
    loads: [
      ['int_mid_a', 0],
      ['int_mid_b', 1],
      ['int_mid_c', 2],
    ],
  },
  {
    name: '08 SMT int + chase',
    loads: [
      ['int_hi', 0],
      ['chase', 1],
    ],
  },
  {
    name: '09 SMT pause + compute',
    loads: [
      ['pause', 0],
      ['int_mid', 1],
    ],
  },
  {
    name: '10 pause | compute',
    loads: [
      ['pause', 0],
      ['int_mid', 2],
    ],
  },
  {
    name: '11 tight spin | compute',
    loads: [
      ['tight', 0],
      ['int_mid', 2],
    ],
  },
  {
    name: '12 0.8 GHz | 3.5 GHz',
    khz: 800_000,
    loads: [
      ['int_mid_a', 0],
      ['int_mid_b', 2],
    ],
  },
  {
    name: '13 2.0 GHz | 3.5 GHz',
    khz: 2_000_000,
    loads: [
      ['int_mid_a', 0],
      ['int_mid_b', 2],
    ],
  },
  {
    name: '15 fork storm | AVX2',
    loads: [
      ['tiny_storm', 0, 'forks=2000'],
      ['avx2', 2],
    ],
  },
  {
    name: '19 5 % service | stream',
    loads: [
      ['int_mid', 0, 'duty=50', 'period=10000'],
      ['stream', 2],
    ],
  },
  {
    name: '20 poll + int | AVX-512 + stream',
    loads: [
      ['poll', 0],
      ['int_hi', 1],
      ['avx512', 2],
      ['stream', 3],
    ],
  },
];

const agent = await startAgent('mixes', { sources: ['powercap'], windowMillis: 500 });
await agent.windows(3);
const done = [];
for (const [index, mix] of MIXES.entries()) {
  control('freq', 0, mix.khz ?? FULL_KHZ);
  const loads = mix.loads.map(([name, cpu, ...options]) =>
    load(name, 600, `cpu=${cpu}`, ...options),
  );
  await agent.windows(3);
  const first = await agent.windows(1);
  truth(`mix-${index}-0`);
  await pause(Number(seconds) * 1000);
  const last = await agent.windows(1);
  truth(`mix-${index}-1`);
  for (const one of loads) await one.stop();
  control('freq', 0, FULL_KHZ);
  await agent.windows(2);
  done.push({
    name: mix.name,
    loads: mix.loads.map(([name]) => name),
    firstWindow: first.window.index,
    lastWindow: last.window.index,
  });
}
writeFileSync(out('mixes.json'), JSON.stringify(done));
process.exit(await agent.stop());
