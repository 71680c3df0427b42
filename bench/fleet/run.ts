// SPDX-License-Identifier: Apache-2.0
/**
 * Nodes with real exporters → gateway Collector → Prometheus, all on this machine: what a node costs each
 * of them, that the totals per pod are exact, and what a larger fleet would need.
 *
 *   npm run bench:fleet -- [NODES] [SECONDS]
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processCost, type ProcessCost } from '../../test/support/process-cost.js';
import { startFleet, type RunningFleet } from '../../test/support/running-fleet.js';

const INTERVAL_MILLIS = 10_000;
const TICK_MILLIS = 1_000;
const LARGE_FLEET = 5_000;
const MIB = 1_048_576;
const GIB = MIB * 1_024;
const DAY_SECONDS = 86_400;

interface Costs {
  readonly exporters: ProcessCost;
  readonly collector: ProcessCost;
  readonly prometheus: ProcessCost;
}

const costsOf = ({ collector, prometheus }: RunningFleet): Costs => ({
  exporters: processCost(process.pid),
  collector: processCost(collector.pid),
  prometheus: processCost(prometheus.pid),
});

const fixed = (value: number, digits = 2): string => value.toFixed(digits);

const report = (nodes: number, seconds: number, before: Costs, after: Costs): void => {
  console.log('| process | CPU, % of one | CPU a node, % of one | RSS, MiB | RSS a node, MiB |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const name of ['exporters', 'collector', 'prometheus'] as const) {
    const share = (100 * (after[name].cpuSeconds - before[name].cpuSeconds)) / seconds;
    const mebibytes = after[name].residentBytes / MIB;
    const cells = [fixed(share, 1), fixed(share / nodes, 4), fixed(mebibytes, 0)];
    console.log(`| ${[name, ...cells, fixed(mebibytes / nodes)].join(' | ')} |`);
  }
};

const project = (
  run: {
    nodes: number;
    seconds: number;
    series: number;
    samplesPerSecond: number;
    diskBytes: number;
    /** Delivered between the two readings. */
    points: number;
  },
  before: Costs,
  after: Costs,
): void => {
  const factor = LARGE_FLEET / run.nodes;
  const secondsPerPoint = (name: keyof Costs): number =>
    (after[name].cpuSeconds - before[name].cpuSeconds) / run.points;
  const cores = (name: keyof Costs): number =>
    secondsPerPoint(name) * run.samplesPerSecond * factor;
  const gibibytes = (name: keyof Costs): number => (after[name].residentBytes / GIB) * factor;
  const samples = run.samplesPerSecond * factor;
  console.log(`\n${String(LARGE_FLEET)} nodes of this kind, computed in proportion:`);
  console.log(
    `  series ${String(Math.round(run.series * factor))}, ${fixed(samples, 0)} samples a second`,
  );
  console.log(
    `  gateway Collectors: ${fixed(cores('collector'), 1)} cores, ${fixed(gibibytes('collector'), 1)} GiB`,
  );
  console.log(
    `  Prometheus: ${fixed(cores('prometheus'), 1)} cores, ${fixed(gibibytes('prometheus'), 1)} GiB`,
  );
  const bytesPerSample = run.diskBytes / run.points;
  console.log(
    `  disk: ${fixed(bytesPerSample)} bytes a sample here (write-ahead log, compressed), ` +
      `${fixed((samples * DAY_SECONDS * 1.5) / GIB, 0)} GiB a day at 1.5 bytes a sample in blocks`,
  );
};

const main = async (nodes: number, seconds: number): Promise<number> => {
  const running = await startFleet({
    nodes,
    podsPerNode: 30,
    processesPerPod: 4,
    travellers: 20,
    intervalMillis: INTERVAL_MILLIS,
  });
  try {
    const { fleet, prometheus } = running;
    // All series exist before the clock starts: making them costs more than moving them.
    fleet.tick();
    await fleet.flush();
    await running.settle();
    const before = costsOf(running);
    const sentBefore = await prometheus.value('sum(wattfeed_export_points_total)');
    const begun = performance.now();
    while (performance.now() - begun < seconds * 1_000) {
      const due = performance.now() + TICK_MILLIS;
      fleet.tick();
      await delay(Math.max(0, due - performance.now()));
    }
    await fleet.flush();
    await running.settle();
    // With the last flush in it: costs are told per point delivered, which holds on a starved machine too.
    const after = costsOf(running);
    const spanSeconds = (performance.now() - begun) / 1_000;
    const found = await running.microjoulesByPod();
    const wrong = [...fleet.burned].filter(([pod, burned]) => found.get(pod) !== burned);
    const series = await prometheus.value('count({__name__=~"(wattfeed|hw)_.+"})');
    const sent = (await prometheus.value('sum(wattfeed_export_points_total)')) - sentBefore;
    const disk = spawnSync('du', ['-sb', join(prometheus.directory, 'data')], { encoding: 'utf8' });
    console.log(
      `${String(nodes)} nodes, 30 pods and 120 processes each, exports every 10 s, windows every 1 s, ` +
        `${fixed(spanSeconds, 0)} s; ${cpus()[0]?.model ?? 'unknown CPU'}, ${String(cpus().length)} CPUs`,
    );
    console.log(
      `pods ${String(fleet.burned.size)}, of them with a wrong total: ${String(wrong.length)}; ` +
        `series ${String(series)}; said by agents: ${String(fleet.said().length)}\n`,
    );
    report(nodes, spanSeconds, before, after);
    const samplesPerSecond = (series / INTERVAL_MILLIS) * 1_000;
    project(
      {
        nodes,
        seconds: spanSeconds,
        series,
        samplesPerSecond,
        points: sent,
        diskBytes: Number(disk.stdout.split('\t')[0]),
      },
      before,
      after,
    );
    console.log(`  (points delivered in the run, by the agents' own count: ${fixed(sent, 0)})`);

    return wrong.length === 0 ? 0 : 1;
  } finally {
    await running.stop();
  }
};

const [nodes = '200', seconds = '60'] = process.argv.slice(2);
process.exitCode = await main(Number(nodes), Number(seconds));
