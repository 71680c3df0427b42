// SPDX-License-Identifier: Apache-2.0
/**
 * Mixes of load whose true split the simulated machine knows, numbered as in the evaluation of the model that
 * its physics comes from. A load belongs to the class that its name starts with; its name is its own within a
 * mix. `smt`: CPUs 0 and 1 are siblings, 2 and 3 too. `numa`: CPUs 0 and 1 are package 0, 2 and 3 package 1.
 * `khz` is the frequency of CPU 0's core; `moveTo` moves a load after its start, so that its memory stays behind.
 */
const on = (name, cpu, ...options) => ({ name, cpu, options });

const SMT = [
  { name: '01 equal compute', loads: [on('int_mid_a', 0), on('int_mid_b', 2)] },
  { name: '02 int | AVX-512', loads: [on('int_mid', 0), on('avx512', 2)] },
  { name: '03 int | AVX2', loads: [on('int_mid', 0), on('avx2', 2)] },
  { name: '04 IPC 2.6 | IPC 0.8', loads: [on('int_hi', 0), on('br_lo', 2)] },
  { name: '05 stream | compute', loads: [on('stream', 0), on('int_mid', 2)] },
  { name: '06 pointer chase | compute', loads: [on('chase', 0), on('int_mid', 2)] },
  {
    name: '07 SMT pair | alone',
    loads: [on('int_mid_a', 0), on('int_mid_b', 1), on('int_mid_c', 2)],
  },
  { name: '08 SMT int + chase', loads: [on('int_hi', 0), on('chase', 1)] },
  { name: '09 SMT pause + compute', loads: [on('pause', 0), on('int_mid', 1)] },
  { name: '10 pause | compute', loads: [on('pause', 0), on('int_mid', 2)] },
  { name: '11 tight spin | compute', loads: [on('tight', 0), on('int_mid', 2)] },
  { name: '12 0.8 GHz | 3.5 GHz', khz: 800_000, loads: [on('int_mid_a', 0), on('int_mid_b', 2)] },
  { name: '13 2.0 GHz | 3.5 GHz', khz: 2_000_000, loads: [on('int_mid_a', 0), on('int_mid_b', 2)] },
  { name: '14 phases of 150 ms', loads: [on('int_hi', 0, 'swap=stream'), on('int_mid', 2)] },
  {
    name: '15 fork storm | AVX2',
    loads: [on('tiny_storm', 0, 'forks=2000'), on('avx2', 2)],
  },
  {
    name: '16 64 tiny | AVX-512',
    loads: [on('tiny_many', 0, 'procs=64', 'duty=30', 'period=100000'), on('avx512', 2)],
  },
  {
    name: '18 big and asleep | chase',
    loads: [on('tiny_big', 0, 'rss=600', 'duty=1'), on('chase', 2)],
  },
  {
    name: '19 5 % service | stream',
    loads: [on('int_mid', 0, 'duty=50', 'period=10000'), on('stream', 2)],
  },
  {
    name: '20 poll + int | AVX-512 + stream',
    loads: [on('poll', 0), on('int_hi', 1), on('avx512', 2), on('stream', 3)],
  },
];

const NUMA = [
  { name: '05 stream | compute, 2 packages', loads: [on('stream', 0), on('int_mid', 2)] },
  {
    name: '17 moved, memory stays',
    loads: [
      { ...on('chase', 2, 'rss=64'), moveTo: 1 },
      on('int_mid', 3, 'rss=16'),
      on('int_hi', 0, 'rss=16'),
    ],
  },
];

/** The mixes of a shape; `numbers` picks. */
export const mixesOf = (shape, numbers) => {
  const all = shape === 'numa' ? NUMA : SMT;
  return numbers === undefined ? all : all.filter(({ name }) => numbers.includes(name.slice(0, 2)));
};
