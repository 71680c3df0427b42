// SPDX-License-Identifier: Apache-2.0
/**
 * Both schedulers in the simulated machine, by its own truth: who got how much energy and CPU time under EEVDF, under
 * energy-fair, without an agent and with the next one; and a cgroup under half of its natural power.
 *
 *   node --import tsx bench/feed/vm.ts [fair|cap|flap] [seconds per step]
 */
import { buildSchedulers } from '../../test/vm/feed/build.js';
import { shareOf, useOf } from '../../test/vm/feed/groups.js';
import { bootAndRun, patientMillis, type Run } from '../../test/vm/harness/files.js';

const LIMIT_MILLIS = patientMillis(400);
const GUEST = '/product/test/vm/feed/guest';

const boot = async (command: string): Promise<Run> =>
  bootAndRun('smt', '7.3', `insmod /vm/simhw/simhw.ko || exit 1\n${command}`, LIMIT_MILLIS);

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`;

const fair = async (seconds: string): Promise<void> => {
  const run = await boot(`node ${GUEST}/fair.mjs ${seconds}`);
  console.log('4 x avx2 (denser) beside 4 x int_mid on 4 CPUs; part of avx2 in both');
  for (const [name, title] of [
    ['eevdf', 'EEVDF'],
    ['fair', 'energy-fair'],
    ['orphan', 'energy-fair, agent killed'],
    ['again', 'energy-fair, next agent'],
  ] as const) {
    const { energy, time } = shareOf(run, name, ['avx2', 'int_mid']);
    console.log(
      `  ${title.padEnd(28)} energy ${percent(energy).padStart(7)}   time ${percent(time).padStart(7)}`,
    );
  }
  console.log(run.text('fair.json'));
};

const cap = async (seconds: string): Promise<void> => {
  const run = await boot(`node ${GUEST}/cap.mjs ${seconds} int_mid`);
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
    const [capped, other] = [useOf(run, name, 'int_mid_b'), useOf(run, name, 'int_mid_w')];
    console.log(
      `  ${name.padEnd(10)} capped ${capped.watts.toFixed(2)} W   others ${other.watts.toFixed(2)} W, ${other.cpuSeconds.toFixed(2)} CPU s`,
    );
  }
  console.log(run.text('cap.json'));
};

const [what = '', seconds = '8'] = process.argv.slice(2);
buildSchedulers();
if (what === '' || what === 'fair') await fair(seconds);
if (what === '' || what === 'cap') await cap(seconds);
if (what === '' || what === 'flap')
  console.log((await boot(`bash ${GUEST}/flap.sh 50`)).text('flap.txt'));
