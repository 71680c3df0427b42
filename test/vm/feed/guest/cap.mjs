// SPDX-License-Identifier: Apache-2.0
/**
 * energy-cap: a cgroup's natural power beside another one's, the same under half of it (hard), with the agent
 * killed, with the next one; then a soft budget beside the others and alone (work-conserving). Truths and facts for
 * bench/feed/vm.ts. cap.mjs SECONDS CLASS
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  killUntilExpired,
  makeCgroup,
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
  steadyFeed,
  sysctl,
} from './machine.mjs';

const [seconds = '6', className = 'int_mid'] = process.argv.slice(2);
const EACH = 2;
const SETTLE_SECONDS = 5;
const SETTLE_MILLIS = 1500;
const facts = {};
const save = () => writeFileSync(out('cap.json'), JSON.stringify(facts, null, 1));
const batch = makeCgroup('batch');
const web = makeCgroup('web');
const soft = makeCgroup('soft');
const names = [`${className}_b`, `${className}_w`];

const startBatch = async (cgroup) => startGroup(names[0], EACH, { cgroup, isScheduled: true });
const startOthers = async () => startGroup(names[1], EACH, { cgroup: web, isScheduled: true });

/** Watts of a group between two truths, package energy: what the budget is made of. */
const watts = (name, group) => {
  const read = (suffix) => {
    const lines = readFileSync(out(`${name}-${suffix}.truth`), 'utf8')
      .split('\n')
      .map((line) => line.split('\t'));
    const rows = lines.filter((row) => row[0] === 'process' && row.at(-1) === group);
    const energy = rows.reduce(
      (sum, row) => sum + Number(row[12]) + Number(row[13]) + Number(row[14]) + Number(row[15]),
      0,
    );
    const at = lines.find((row) => row[0] === 'clock');
    return { energy, at: Number(at?.[2] ?? 0) };
  };
  const [a, b] = [read(0), read(1)];
  return (b.energy - a.energy) / (b.at - a.at);
};

// natural power needs no agent: the scheduler is fair without a feed, the machine knows the joules
const scheduler = await startScheduler('cap');
let capped = await startBatch(batch);
let others = await startOthers();
await pause(SETTLE_MILLIS);
await over('natural', Number(seconds));
await capped.stop();
await others.stop();
facts.naturalWatts = watts('natural', names[0]);
facts.budgetWatts = Math.round((facts.naturalWatts / 2) * 100) / 100;
save();
say(`natural ${facts.naturalWatts} W`);

const policy = [
  `budgets: ["path:/batch ${facts.budgetWatts}W burst 500ms", "path:/soft ${facts.budgetWatts}W burst 500ms soft"]`,
];
let agent = await startAgent('agent-1', policy);
say('agent runs');
others = await startOthers();
await steadyFeed();
// its cgroup is in the feed when it has run for a window: the clock of "settles within" starts with its first task
capped = await startBatch(batch);
const beforeSettling = scheduler.stats().expired;
for (let step = 0; step < SETTLE_SECONDS; step++) await over(`settle-${step}`, 1);
facts.lateLooksSettling = (await scheduler.freshStats()).expired - beforeSettling;
facts.lateLooks = await overSteady('hard', Number(seconds), scheduler);
facts.hard = scheduler.stats();
save();
say('hard done');

facts.idsBefore = PINS.map(mapId);
facts.expiredAfterMillis = await killUntilExpired(agent);
await pause(SETTLE_MILLIS);
await over('orphan', Number(seconds));
facts.orphan = scheduler.stats();
facts.state = sysctl('/sys/kernel/sched_ext/state');
save();
say('orphan done');

// a start of the agent takes long enough under TCG without them
await capped.stop();
await others.stop();
agent = await startAgent('agent-2', policy);
facts.idsAfter = PINS.map(mapId);
others = await startOthers();
capped = await startBatch(batch);
await steadyFeed();
await pause(SETTLE_MILLIS);
facts.lateLooksAgain = await overSteady('again', Number(seconds), scheduler);
facts.again = scheduler.stats();
facts.stateAgain = sysctl('/sys/kernel/sched_ext/state');
facts.attaches = scheduler.attaches();
await capped.stop();
save();
say('again done');

capped = await startBatch(soft);
await pause(SETTLE_MILLIS * 2);
await overSteady('soft-beside', Number(seconds), scheduler);
await others.stop();
await pause(SETTLE_MILLIS);
await over('soft-alone', Number(seconds));
facts.soft = scheduler.stats();
await capped.stop();
save();
await scheduler.stop();
await agent.stop();
save();
