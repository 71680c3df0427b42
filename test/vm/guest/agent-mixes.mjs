// SPDX-License-Identifier: Apache-2.0
/**
 * The agent under mixes of load whose true split is known: for each, its reports and the truth at both ends.
 * Judged by bench/truth/rows.ts. agent-mixes.mjs SPEC, a JSON text:
 *   shape, seconds   smt or numa; per mix
 *   runs             the agent is started anew for each: { name, config: added to its YAML, mixes: numbers (absent =
 *                    all of the shape), igpu: milliwatts of the graphics unit in a second pass of each mix,
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
 * The floor of a package, told to the agent: under TCG it takes a tenth of the CPUs itself, so that no window is
 * quiet enough to learn it from.
 */
const IDLE_WATTS = 13;
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

/** The truth at the moment in which a window of the agent ends, and that window's report has come. */
const edge = async (agent, name) => {
  const latest = await agent.windows(1);
  let end = BigInt(latest.window.endNanos);
  while (end < BigInt(now()) + LEAST_WAIT_NANOS) end += WINDOW_NANOS;
  await pause(Number(end - BigInt(now())) / 1e6);
  truth(name);
  await agent.windows(1);
};

const runMix = async (agent, mix, label, igpuMilliwatts) => {
  control('freq', 0, mix.khz ?? FULL_KHZ);
  control('igpu', 0, igpuMilliwatts);
  const loads = await startLoads(mix);
  await agent.windows(2);
  await edge(agent, `${label}-0`);
  await pause(spec.seconds * 1000);
  await edge(agent, `${label}-1`);
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
  const passes = run.igpu === undefined ? [0] : [0, run.igpu];
  const agent = await startAgent(run.name, {
    sources: ['powercap'],
    windowMillis: WINDOW_MILLIS,
    config: `${run.config ?? ''}\n`,
    idleWatts: IDLE_WATTS,
  });
  // quiet windows first: what the machine draws for nothing is learnt from them
  await agent.windows(8);
  for (const [index, mix] of mixesOf(spec.shape, run.mixes).entries()) {
    for (const [pass, igpuMilliwatts] of passes.entries()) {
      const truthName = `${run.name}-${index}-${pass}`;
      await runMix(agent, mix, truthName, igpuMilliwatts);
      done.push({
        run: run.name,
        mix: mix.name,
        pass,
        truth: truthName,
        loads: mix.loads.map(({ name }) => name),
      });
    }
  }
  exit ||= await agent.stop();
}
writeFileSync(out('mixes.json'), JSON.stringify(done));
process.exit(exit);
