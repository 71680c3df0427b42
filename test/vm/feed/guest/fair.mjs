// SPDX-License-Identifier: Apache-2.0
/**
 * energy-fair against EEVDF on two CPUs with two tasks of each of two classes, one of twice the power; then the
 * agent killed and the next one started under it. The agent starts with nothing learnt. Truths and facts for
 * bench/feed/vm.ts. fair.mjs SECONDS
 */
import { writeFileSync } from 'node:fs';
import {
  defineDense,
  killUntilExpired,
  mapId,
  out,
  over,
  overSteady,
  pause,
  PINS,
  say,
  startAgent,
  startGroup,
  startScheduler,
  status,
  steadyFeed,
  sysctl,
} from './machine.mjs';

const [seconds = '8'] = process.argv.slice(2);
const EACH = 2;
const SETTLE_MILLIS = 2000;
const facts = {};
const save = () => writeFileSync(out('fair.json'), JSON.stringify(facts, null, 1));

const groups = async (isScheduled) => {
  const low = await startGroup('chase', EACH, { isScheduled });
  const high = await startGroup('dense', EACH, { isScheduled });
  return { pids: [...low.pids, ...high.pids], stop: async () => (await low.stop(), high.stop()) };
};

defineDense();
let agent = await startAgent('agent-1', []);
say('agent runs');
const eevdf = await groups(false);
await steadyFeed();
await over('eevdf', Number(seconds));
await eevdf.stop();
say('eevdf done');

const scheduler = await startScheduler('fair');
let scheduled = await groups(true);
await pause(SETTLE_MILLIS);
facts.lateLooks = await overSteady('fair', Number(seconds), scheduler);
facts.fair = scheduler.stats();
save();
say('fair done');

facts.idsBefore = PINS.map(mapId);
facts.expiredAfterMillis = await killUntilExpired(agent);
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
facts.lateLooksAgain = await overSteady('again', Number(seconds), scheduler);
facts.again = scheduler.stats();
facts.stateAgain = sysctl('/sys/kernel/sched_ext/state');
facts.attaches = scheduler.attaches();
await scheduled.stop();
await scheduler.stop();
await agent.stop();
facts.withdrawn = status();
save();
