// SPDX-License-Identifier: Apache-2.0
/**
 * The agent among programs that wait awake and programs that work, each of a class of the simulated CPU, so
 * that its counters say what a real one's would. Judged by harness/spin.ts. spin.mjs SPEC, a JSON text:
 *   groups   one after the other beside one agent, the programs of each at once: { command, class }
 *   looks    verdicts of each, at least
 *   limit    seconds of each group
 *   unseenLimit  seconds after which a program that no look has told anything of is given up
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { control, out, startAgent } from './agent.mjs';

const { groups, looks, limit, unseenLimit } = JSON.parse(process.argv[2]);
const LOG = out('spin.log');
/** One is left to the agent: under TCG deciding takes its time. */
const LOAD_CPUS = [1, 2, 3];
const LOOK_MILLIS = 250;
const TOLD = /thread examined pid=(\d+) tid=(\d+) verdict=(?:working|spinning)/g;

const start = ({ command: [file, ...words] }, at) => {
  const cpu = LOAD_CPUS[at % LOAD_CPUS.length];
  return spawn('taskset', ['-c', `${cpu}`, file, ...words], { stdio: 'ignore' });
};

/** The machine knows a process once it has run. */
const setClass = async (pid, name) => {
  for (;;) {
    try {
      return control('task', pid, 'class', name);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
      await pause(20);
    }
  }
};

/** Process -> looks that could tell: on a busy host a thread may be met too rarely. */
const looksSoFar = () => {
  const told = new Map();
  for (const [, pid, tid] of readFileSync(LOG, 'utf8').matchAll(TOLD))
    if (pid === tid) told.set(Number(pid), (told.get(Number(pid)) ?? 0) + 1);
  return told;
};

const startGroup = async (programs) => {
  const running = programs.map((program, at) => ({ program, child: start(program, at) }));
  await Promise.all(running.map(({ program, child }) => setClass(child.pid, program.class)));
  return running;
};

/** What has been looked at often enough makes room for the others, and what nobody could tell of as well. */
const watchGroup = async (running) => {
  const begin = performance.now();
  const waiting = new Set(running.map(({ child }) => child));
  while (waiting.size > 0 && performance.now() - begin < limit * 1000) {
    const told = looksSoFar();
    const isLate = performance.now() - begin > unseenLimit * 1000;
    for (const child of waiting)
      // who sleeps now and then is nobody to look at
      if ((told.get(child.pid) ?? 0) >= looks || (isLate && !told.has(child.pid))) {
        child.kill('SIGKILL');
        waiting.delete(child);
      }
    await pause(LOOK_MILLIS);
  }
  for (const child of waiting) child.kill('SIGKILL');
};

const [first = [], ...others] = groups;
const pids = [];
const remember = (running) => pids.push(...running.map(({ child }) => child.pid));
const firstRunning = await startGroup(first);
remember(firstRunning);
// They wait while the agent starts: it has the CPUs to itself, and counts nothing of another class.
for (const { child } of firstRunning) child.kill('SIGSTOP');
const agent = await startAgent('spin', {
  sources: ['powercap'],
  windowMillis: 1000,
  config: 'spin:\n  max_examined: 24\n  cpu_percent: 100\nlog:\n  level: debug\n',
});
for (const { child } of firstRunning) child.kill('SIGCONT');
const began = performance.now();
const say = (text) =>
  console.log(`spin: ${text} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
await watchGroup(firstRunning);
say(`group 1 of ${groups.length}`);
for (const [at, programs] of others.entries()) {
  const running = await startGroup(programs);
  remember(running);
  await watchGroup(running);
  say(`group ${at + 2} of ${groups.length}`);
}
writeFileSync(out('pids.json'), JSON.stringify(pids));
process.exit(await agent.stop());
