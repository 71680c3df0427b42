// SPDX-License-Identifier: Apache-2.0
/**
 * The agent under mixes of load whose true split is known: for each, its reports and the truth at both ends.
 * Judged by bench/truth/rows.ts. agent-mixes.mjs SPEC, a JSON text:
 *   shape, seconds   smt or numa; per mix
 *   runs             the agent is started anew for each: { name, config: added to its YAML, mixes: numbers (absent =
 *                    all of the shape), igpu: { milliwatts, mixes }, of which mixes have several passes under the
 *                    same loads, the graphics unit at rest and busy in turn; idleWatts: floor told to the agent;
 *                    control: commands for the simulated machine before the start }
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { control, load, now, out, startAgent, truth } from './agent.mjs';
import { mixesOf } from './mixes.mjs';

const spec = JSON.parse(process.argv[2]);
const WINDOW_MILLIS = 500;
const WINDOW_NANOS = BigInt(WINDOW_MILLIS) * 1_000_000n;
/** A wait shorter than this may miss its window's end. */
const LEAST_WAIT_NANOS = 30_000_000n;
const FULL_KHZ = 3_500_000;
/**
 * The simulated core counts 512-bit operations apart, and the agent would ask for them, if the CPU of the emulator said
 * that it has AVX-512.
 */
const COUNTERS = 'accounting:\n  counters: [cycles, instructions, llc, vector, vector512=0xc0c7]\n';
/** In which the agent learns what the machine draws for nothing: under TCG none is quiet, it takes a tenth itself. */
const MOST_LEARNING_WINDOWS = 120;
const CGROUPS = '/sys/fs/cgroup';

/** Each load in a cgroup of its own with the memory controller: the kernel says on which node its pages are. */
const cgroupOf = (name) => {
  const directory = `${CGROUPS}/mixes/${name}`;
  mkdirSync(directory, { recursive: true });
  return `${directory}/cgroup.procs`;
};

const startLoads = async (mix) => {
  const loads = mix.loads.map((one) => ({
    ...one,
    process: load(
      { cpu: one.cpu, cgroup: cgroupOf(one.name) },
      one.name,
      600,
      ...(one.moveTo === undefined ? [`cpu=${one.cpu}`] : []),
      ...one.options,
    ),
  }));
  for (const { process: child } of loads) await child.isLoad();
  for (const { moveTo, process: child } of loads) {
    if (moveTo !== undefined) spawnSync('taskset', ['-a', '-p', '-c', `${moveTo}`, `${child.pid}`]);
  }
  return loads.map((one) => one.process);
};

/** Suffix and time after the end of a window, which comes late by as much as the host is busy. */
const TRUTHS = [
  ['', 0],
  ['a', 20],
  ['b', 60],
  ['c', 200],
];

/** Truths around the moment in which a window of the agent ends, and that window's report has come. */
const edge = async (agent, name) => {
  const latest = await agent.windows(1);
  let end = BigInt(latest.window.endNanos);
  while (end < BigInt(now()) + LEAST_WAIT_NANOS) end += WINDOW_NANOS;
  for (const [suffix, millis] of TRUTHS) {
    await pause(Number(end - BigInt(now())) / 1e6 + millis);
    truth(`${name}${suffix}`);
  }
  await agent.windows(1);
};

/** On a host so busy that the agent has no light window either it goes without, and its report says 0 W. */
const floorOf = async (agent) => {
  const isKnown = ({ domains }) =>
    domains.some((one) => one.kind === 'package' && BigInt(one.idleMicrojoules ?? 0) > 0n);
  for (let seen = 0; seen < MOST_LEARNING_WINDOWS; seen += 4)
    if (isKnown(await agent.windows(4))) return;
};

/** The first is as without a graphics unit; by the second the agent knows the loads. */
const igpuPasses = (milliwatts) => [0, 0, milliwatts, 0, milliwatts, 0, milliwatts, 0];

/** All passes under the same loads: each process has data of its own, and with it an energy of its own. */
const runMix = async (agent, mix, label, passes) => {
  control('freq', 0, mix.khz ?? FULL_KHZ);
  const loads = await startLoads(mix);
  for (const [pass, igpuMilliwatts] of passes.entries()) {
    control('igpu', 0, igpuMilliwatts);
    await agent.windows(2);
    await edge(agent, `${label}-${pass}-0`);
    await pause(spec.seconds * 1000);
    await edge(agent, `${label}-${pass}-1`);
  }
  for (const one of loads) await one.stop();
  control('freq', 0, FULL_KHZ);
  control('igpu', 0, 0);
};

writeFileSync(`${CGROUPS}/cgroup.subtree_control`, '+memory');
mkdirSync(`${CGROUPS}/mixes`, { recursive: true });
writeFileSync(`${CGROUPS}/mixes/cgroup.subtree_control`, '+memory');
const done = [];
let exit = 0;
for (const run of spec.runs) {
  for (const command of run.control ?? []) control(command);
  const passesOf = ({ name }) =>
    run.igpu !== undefined && (run.igpu.mixes ?? [name.slice(0, 2)]).includes(name.slice(0, 2))
      ? igpuPasses(run.igpu.milliwatts)
      : [0];
  const agent = await startAgent(run.name, {
    sources: ['powercap'],
    windowMillis: WINDOW_MILLIS,
    config: `${COUNTERS}${run.config ?? ''}\n`,
    idleWatts: run.idleWatts,
  });
  if (run.idleWatts === undefined) await floorOf(agent);
  for (const [index, mix] of mixesOf(spec.shape, run.mixes).entries()) {
    const label = `${run.name}-${index}`;
    const passes = passesOf(mix);
    await runMix(agent, mix, label, passes);
    for (const [pass, igpuMilliwatts] of passes.entries())
      done.push({
        run: run.name,
        mix: mix.name,
        pass,
        igpuMilliwatts,
        truth: `${label}-${pass}`,
        loads: mix.loads.map(({ name }) => name),
      });
  }
  exit ||= await agent.stop();
}
writeFileSync(out('mixes.json'), JSON.stringify(done));
process.exit(exit);
