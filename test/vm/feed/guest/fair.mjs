// SPDX-License-Identifier: Apache-2.0
/**
 * energy-fair against EEVDF on two CPUs with two tasks of each of two classes, one of twice the power; then the
 * agent killed and the next one started under it. Before, the agent learns the machine under loads of all kinds, as
 * it would in an hour of a host. Truths and facts for bench/feed/vm.ts. fair.mjs SECONDS LEARNING_SECONDS
 */
import { writeFileSync } from 'node:fs';
import {
  mapId,
  out,
  over,
  pause,
  PINS,
  say,
  startAgent,
  startGroup,
  startScheduler,
  status,
  sysctl,
  until,
} from './machine.mjs';

const [seconds = '8', learningSeconds = '45'] = process.argv.slice(2);
/** Classes of the simulated machine: waiting for memory, and wide vectors. */
const [LOW, HIGH] = ['chase', 'avx512'];
/** At once on the two CPUs. */
const LESSONS = [
  ['int_hi', 'avx512'],
  ['chase', 'chase'],
  ['avx512', 'avx512'],
  ['br_lo', 'avx512'],
  ['avx2', 'avx2'],
  ['stream', 'int_mid'],
  ['pause', 'pause'],
  ['int_mid', 'chase'],
];
const EACH = 2;
const SETTLE_MILLIS = 2000;
const facts = {};
const save = () => writeFileSync(out('fair.json'), JSON.stringify(facts, null, 1));

const groups = async (isScheduled) => {
  const low = await startGroup(LOW, EACH, { isScheduled });
  const high = await startGroup(HIGH, EACH, { isScheduled });
  return { pids: [...low.pids, ...high.pids], stop: async () => (await low.stop(), high.stop()) };
};

let agent = await startAgent('agent-1', []);
say('agent runs');
for (const lesson of LESSONS) {
  const loads = await Promise.all(lesson.map(async (name) => startGroup(name, 1, {})));
  await pause((Number(learningSeconds) * 1000) / LESSONS.length);
  await Promise.all(loads.map(async (load) => load.stop()));
}
say('agent has learnt');
const eevdf = await groups(false);
await pause(SETTLE_MILLIS);
await over('eevdf', Number(seconds));
await eevdf.stop();
say('eevdf done');

const scheduler = await startScheduler('fair');
let scheduled = await groups(true);
await pause(SETTLE_MILLIS);
facts.attached = scheduler.stats();
await over('fair', Number(seconds));
facts.fair = scheduler.stats();
save();
say('fair done');

// killed: nobody withdraws
facts.idsBefore = PINS.map(mapId);
await agent.kill();
const killedMillis = performance.now();
await until('feed expired', () => status() === 'expired');
facts.expiredAfterMillis = performance.now() - killedMillis;
await pause(SETTLE_MILLIS);
facts.orphanFrom = scheduler.stats();
await over('orphan', Number(seconds));
facts.orphan = scheduler.stats();
facts.state = sysctl('/sys/kernel/sched_ext/state');
save();
say('orphan done');

// a start of the agent takes long enough under TCG without them
await scheduled.stop();
agent = await startAgent('agent-2', []);
facts.idsAfter = PINS.map(mapId);
scheduled = await groups(true);
await pause(SETTLE_MILLIS);
await over('again', Number(seconds));
facts.again = scheduler.stats();
facts.stateAgain = sysctl('/sys/kernel/sched_ext/state');
facts.attaches = scheduler.attaches();
await scheduled.stop();
await scheduler.stop();
await agent.stop();
facts.withdrawn = status();
save();
