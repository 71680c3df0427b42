// SPDX-License-Identifier: Apache-2.0
/**
 * energy-fair against EEVDF, then the agent killed and started again under it. Truths and facts for
 * fair.test.ts. fair.mjs SECONDS
 */
import { writeFileSync } from 'node:fs';
import {
  look,
  mapId,
  out,
  over,
  pause,
  startAgent,
  startGroup,
  startScheduler,
  status,
  sysctl,
  until,
} from './machine.mjs';

const [seconds = '8'] = process.argv.slice(2);
const PINS = ['state', 'package', 'cpu', 'cgroup', 'cgroup_index', 'task'];
const facts = {};
const save = () => writeFileSync(out('fair.json'), JSON.stringify(facts, null, 1));

const groups = async (isScheduled) => {
  const low = await startGroup('int_mid', 4, { isScheduled });
  const high = await startGroup('avx2', 4, { isScheduled });
  return { pids: [...low.pids, ...high.pids], stop: async () => (await low.stop(), high.stop()) };
};

let agent = await startAgent('agent-1', []);
const eevdf = await groups(false);
await pause(2000);
await over('eevdf', Number(seconds));
await eevdf.stop();

const scheduler = await startScheduler('fair');
const scheduled = await groups(true);
facts.pids = scheduled.pids;
await pause(3000);
await over('fair', Number(seconds));
facts.okBefore = scheduler.stats().ok;
facts.byEnergyBefore = scheduler.stats()['by energy'];
save();

// killed: nobody withdraws
facts.idsBefore = PINS.map(mapId);
await agent.kill();
const killedMillis = performance.now();
await until('feed expired', () => status() === 'expired');
facts.expiredAfterMillis = performance.now() - killedMillis;
await pause(1500);
await over('orphan', Number(seconds));
facts.orphan = scheduler.stats();
facts.state = sysctl('/sys/kernel/sched_ext/state');
save();

agent = await startAgent('agent-2', []);
facts.idsAfter = PINS.map(mapId);
await pause(2500);
await over('again', Number(seconds));
facts.again = scheduler.stats();
facts.tasks = look('--tasks');
facts.feed = facts.tasks;
facts.stateAgain = sysctl('/sys/kernel/sched_ext/state');
await scheduled.stop();
await scheduler.stop();
await agent.stop();
facts.withdrawn = status();
save();
