// SPDX-License-Identifier: Apache-2.0
/**
 * The agent among programs that wait awake and programs that work, each of a class of the simulated CPU, so
 * that its counters say what a real one's would. Judged by harness/spin.ts. spin.mjs SPEC, a JSON text:
 *   programs   all at once: { name, command, class }
 *   looks      verdicts of each, at least
 *   limit      seconds from the start of the programs
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { control, out, startAgent } from './agent.mjs';

const { programs, looks, limit } = JSON.parse(process.argv[2]);
const LOG = out('spin.log');
/** One is left to the agent: under TCG deciding takes its time. */
const LOAD_CPUS = [1, 2, 3];
const LOOK_MILLIS = 250;

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

/** Those that could tell: on a busy host a thread runs for less than its share, and is met too rarely. */
const looksAt = (pid) =>
  readFileSync(LOG, 'utf8').match(
    new RegExp(`thread examined pid=${pid} tid=${pid} verdict=(working|spinning)`, 'g'),
  )?.length ?? 0;

const running = programs.map((program, at) => ({ program, child: start(program, at) }));
await Promise.all(running.map(({ program, child }) => setClass(child.pid, program.class)));
// They wait while the agent starts: it has the CPUs to itself, and counts nothing of another class.
for (const { child } of running) child.kill('SIGSTOP');
const agent = await startAgent('spin', {
  sources: ['powercap'],
  windowMillis: 1000,
  config: 'spin:\n  max_examined: 16\n  cpu_percent: 100\nlog:\n  level: debug\n',
});
for (const { child } of running) child.kill('SIGCONT');
const deadline = performance.now() + limit * 1000;
while (performance.now() < deadline) {
  if (running.every(({ child }) => looksAt(child.pid) >= looks)) break;
  await pause(LOOK_MILLIS);
}
writeFileSync(
  out('programs.json'),
  JSON.stringify(running.map(({ program, child }) => ({ name: program.name, pid: child.pid }))),
);
for (const { child } of running) child.kill('SIGKILL');
process.exit(await agent.stop());
