// SPDX-License-Identifier: Apache-2.0
/**
 * energy-cap: a cgroup's natural power, then the same under half of it, hard, then soft while nobody else wants
 * the CPU. Truths and facts for cap.test.ts. cap.mjs SECONDS CLASS
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  look,
  makeCgroup,
  out,
  over,
  pause,
  startAgent,
  startGroup,
  startScheduler,
  truth,
} from './machine.mjs';

const [seconds = '6', className = 'int_mid'] = process.argv.slice(2);
const facts = { steps: [] };
const save = () => writeFileSync(out('cap.json'), JSON.stringify(facts, null, 1));
const batch = makeCgroup('batch');
const web = makeCgroup('web');
const names = [`${className}_b`, `${className}_w`];

const groups = async () => {
  const capped = await startGroup(names[0], 2, { cgroup: batch, isScheduled: true });
  const others = await startGroup(names[1], 2, { cgroup: web, isScheduled: true });
  return { stop: async () => (await capped.stop(), others.stop()) };
};

/** Watts of a group between two truths, package energy. */
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
let loads = await groups();
await pause(1500);
await over('natural', Number(seconds));
await loads.stop();
facts.naturalWatts = watts('natural', names[0]);
facts.budgetWatts = Math.round((facts.naturalWatts / 2) * 100) / 100;
save();

// half of it, hard for one cgroup and soft for another
const agent = await startAgent('agent', [
  `budgets: ["path:/batch ${facts.budgetWatts}W burst 500ms", "path:/soft ${facts.budgetWatts}W burst 500ms soft"]`,
]);
loads = await groups();
for (let step = 0; step < 5; step++) await over(`settle-${step}`, 1);
await over('hard', Number(seconds));
facts.hard = scheduler.stats();
await loads.stop();
save();

// alone on the machine and work-conserving
const alone = await startGroup(names[0], 2, { cgroup: makeCgroup('soft'), isScheduled: true });
await pause(3000);
await over('soft', Number(seconds));
facts.soft = scheduler.stats();
await alone.stop();
save();
facts.feed = look();
await scheduler.stop();
await agent.stop();
truth('end');
save();
