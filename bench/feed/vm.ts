// SPDX-License-Identifier: Apache-2.0
/**
 * Both schedulers in the simulated machine, on a live feed, by the machine's own truth:
 *
 *   fair      who got how much energy and CPU time under EEVDF, under energy-fair, with the agent dead, with the next
 *   cap       a cgroup under half of its natural power, the agent killed and the next one, and work-conserving
 *   headroom  an interactive task beside batch work below a package's power limit
 *   flap      50 times attached and detached, or as often as said
 *
 *   node --import tsx bench/feed/vm.ts [fair|cap|headroom|flap] [seconds per step | times]
 */
import { buildLatencyProbe, buildSchedulers } from '../../test/vm/feed/build.js';
import { powerOf, shareOf, useOf } from '../../test/vm/feed/groups.js';
import { bootAndRun, patientMillis, type Run } from '../../test/vm/harness/files.js';

const LIMIT_MILLIS = patientMillis(400);
const GUEST = '/product/test/vm/feed/guest';
const SETTLE_STEPS = 5;
const MICROS_PER_MILLI = 1000;

/** `housekeeping`: the CPUs of the agent, the loader and the script itself. */
const boot = async (command: string, housekeeping = '0,1'): Promise<Run> =>
  bootAndRun(
    'smt',
    '7.3',
    [
      'insmod /vm/simhw/simhw.ko || exit 1',
      `export HOUSEKEEPING_CPUS=${housekeeping}`,
      `taskset -c ${housekeeping} ${command}`,
    ].join('\n'),
    LIMIT_MILLIS,
  );

const percent = (ratio: number): string => `${(ratio * 100).toFixed(1)} %`.padStart(7);
const watts = (value: number): string => `${value.toFixed(2)} W`.padStart(8);

const fair = async (seconds: string): Promise<void> => {
  const run = await boot(`node ${GUEST}/fair.mjs ${seconds}`);
  console.log('2 x dense (twice the power) beside 2 x chase on 2 CPUs; part of dense in both');
  for (const [name, title] of [
    ['eevdf', 'EEVDF'],
    ['fair', 'energy-fair'],
    ['orphan', 'energy-fair, agent killed'],
    ['again', 'energy-fair, next agent'],
  ] as const) {
    const { energy, time } = shareOf(run, name, ['dense', 'chase']);
    console.log(`  ${title.padEnd(28)} energy ${percent(energy)}   time ${percent(time)}`);
  }
  console.log(run.text('fair.json'));
};

const cap = async (seconds: string): Promise<void> => {
  const run = await boot(`node ${GUEST}/cap.mjs ${seconds} int_mid`);
  const steps = Array.from({ length: SETTLE_STEPS }, (_, at) => `settle-${String(at)}`);
  for (const name of [
    'natural',
    ...steps,
    'hard',
    'orphan',
    'again',
    'soft-beside',
    'soft-alone',
  ]) {
    const [capped, other] = [useOf(run, name, 'int_mid_b'), useOf(run, name, 'int_mid_w')];
    console.log(
      `  ${name.padEnd(12)} capped ${watts(capped.watts)}   others ${watts(other.watts)}, ` +
        `${percent(other.cpuRatio)} of a CPU`,
    );
  }
  console.log(run.text('cap.json'));
};

const batchWatts = (run: Run, name: string): string =>
  name === 'alone' ? '-' : watts(useOf(run, name, 'dense_b').watts);

const headroom = async (seconds: string): Promise<void> => {
  const run = await boot(`node ${GUEST}/headroom.mjs ${seconds}`, '2,3');
  console.log('an interactive task on one core, batch work on the other; latency in ms');
  for (const name of ['alone', 'beside', 'headroom']) {
    const [requests = 0, ...micros] = (run.rows(`${name}.latency`)[0] ?? []).map(Number);
    const millis = micros.map((value) => (value / MICROS_PER_MILLI).toFixed(2).padStart(7));
    console.log(
      `  ${name.padEnd(10)} package ${watts(powerOf(run, name, 'package-0'))}   ${String(requests)} requests: ` +
        `p50 ${millis[0] ?? '?'} p90 ${millis[1] ?? '?'} p99 ${millis[2] ?? '?'} (of it to wake up p99 ${millis[6] ?? '?'}, to work p99 ${millis[10] ?? '?'})   ` +
        `clock ${useOf(run, name, 'int_mid_i').gigahertz.toFixed(2)} GHz   batch ${batchWatts(run, name)}`,
    );
  }
  console.log(run.text('headroom.json'));
};

const [what = '', amount] = process.argv.slice(2);
const seconds = amount ?? '8';
buildSchedulers();
if (what === '' || what === 'fair') await fair(seconds);
if (what === '' || what === 'cap') await cap(seconds);
if (what === '' || what === 'headroom') {
  buildLatencyProbe();
  await headroom(seconds);
}
if (what === '' || what === 'flap')
  console.log((await boot(`bash ${GUEST}/flap.sh ${amount ?? '50'}`)).text('flap.txt'));
