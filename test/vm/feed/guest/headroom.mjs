// SPDX-License-Identifier: Apache-2.0
/**
 * Headroom: an interactive task on one core, batch work on the other, and a package limit that both together
 * exceed while the interactive task alone is far below it. Its latency alone, beside the batch work, and beside it under
 * `--headroom`. Files for bench/feed/vm.ts. headroom.mjs SECONDS LIMIT_WATTS PERIOD_US REQUEST_KINSTR
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import {
  defineDense,
  HERE,
  makeCgroup,
  out,
  pause,
  say,
  SCX,
  startAgent,
  startGroup,
  startScheduler,
  steadyFeed,
  truth,
} from './machine.mjs';

/** A request is 40 ms of 3.5 GHz; what a busy host adds to a wake-up is to be little beside it. */
const [seconds = '24', limitWatts = '29', period = '130000', request = '224000'] =
  process.argv.slice(2);
const ZONE = '/sys/class/powercap/intel-rapl:0';
const MICRO = 1e6;
const SETTLE_MILLIS = 3000;
const LIMIT_WINDOW_MICROS = 200_000;
const facts = { limitWatts: Number(limitWatts) };
const batch = makeCgroup('batch');
const web = makeCgroup('web');

writeFileSync(`${ZONE}/constraint_0_time_window_us`, String(LIMIT_WINDOW_MICROS));
writeFileSync(`${ZONE}/constraint_0_power_limit_uw`, String(Number(limitWatts) * MICRO));

/** The interactive task, alone on CPU 0: what couples it to the batch work is the package's power. */
const probe = (name) => {
  truth(`${name}-0`);
  const words = [
    '-c',
    `echo 0 >${web}/cgroup.procs && exec taskset -c 0 ${SCX} join ${HERE}/latency int_mid_i ${seconds} ${period} ${request}`,
  ];
  const line = execFileSync('bash', words, { encoding: 'utf8' });
  truth(`${name}-1`);
  writeFileSync(out(`${name}.latency`), line);
  say(`${name}: ${line.trim()}`);
};
/** One thread, so that a host of two cores has one for the interactive task. */
const startBatch = async () =>
  startGroup('dense_b', 1, { cgroup: batch, isScheduled: true, cpus: '2' });

defineDense();
let scheduler = await startScheduler('cap');
const agent = await startAgent('agent', ['batch: ["path:/batch"]', 'headroom_percent: 10'], 250);
await steadyFeed();
probe('alone');
const loads = await startBatch();
await pause(SETTLE_MILLIS);
await steadyFeed();
probe('beside');
facts.beside = scheduler.stats();
await scheduler.stop();
scheduler = await startScheduler('cap', '--headroom');
await pause(SETTLE_MILLIS);
await steadyFeed();
probe('headroom');
facts.headroom = scheduler.stats();
writeFileSync(out('headroom.json'), JSON.stringify(facts, null, 1));
await loads.stop();
await scheduler.stop();
await agent.stop();
