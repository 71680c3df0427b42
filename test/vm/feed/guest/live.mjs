// SPDX-License-Identifier: Apache-2.0
/**
 * Both schedulers once on the live feed of one agent, shortly: energy-fair, then energy-cap, then the agent killed
 * under it. Truths and facts for schedulers.test.ts. live.mjs BUDGET_WATTS
 */
import { writeFileSync } from 'node:fs';
import {
  defineDense,
  killUntilExpired,
  makeCgroup,
  out,
  over,
  overSteady,
  pause,
  say,
  startAgent,
  startGroup,
  startScheduler,
  sysctl,
} from './machine.mjs';

const [budgetWatts = '3'] = process.argv.slice(2);
const EACH = 2;
const SETTLE_MILLIS = 1500;
const SECONDS = 4;
const facts = {};
const batch = makeCgroup('batch');
const web = makeCgroup('web');

defineDense();
const agent = await startAgent('agent', [`budgets: ["path:/batch ${budgetWatts}W burst 250ms"]`]);
say('agent runs');

const fair = await startScheduler('fair');
const low = await startGroup('chase', EACH, { isScheduled: true });
const high = await startGroup('dense', EACH, { isScheduled: true });
await pause(SETTLE_MILLIS);
facts.fairLateLooks = await overSteady('fair', SECONDS, fair);
facts.fair = fair.stats();
await low.stop();
await high.stop();
await fair.stop();
say('fair done');

const cap = await startScheduler('cap');
const capped = await startGroup('int_mid_b', EACH, { cgroup: batch, isScheduled: true });
const others = await startGroup('int_mid_w', EACH, { cgroup: web, isScheduled: true });
await pause(SETTLE_MILLIS);
facts.capLateLooks = await overSteady('cap', SECONDS, cap);
facts.cap = cap.stats();
say('cap done');

facts.expiredAfterMillis = await killUntilExpired(agent);
// who was held is behind in virtual time, and is let catch up first
await pause(SETTLE_MILLIS);
await over('orphan', SECONDS);
facts.state = sysctl('/sys/kernel/sched_ext/state');
facts.orphan = await cap.freshStats();
await capped.stop();
await others.stop();
await cap.stop();
writeFileSync(out('live.json'), JSON.stringify(facts, null, 1));
