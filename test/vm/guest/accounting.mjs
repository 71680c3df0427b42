// SPDX-License-Identifier: Apache-2.0
/**
 * The product's accounting in the simulated machine, as often as is asked: each time it is loaded and attached
 * through the addon, a command runs, every window's rows are summed by thread, and it is detached. One process for
 * all, because a start of Node takes 10 s of a CPU and more under TCG. accounting.mjs RUNS, a JSON text, a list of
 *   name       NAME.json in /vm/out is what was counted, NAME.truth what was so where simhw is loaded
 *   counters   none; software: events that any kernel has, on each CPU; hardware: what the product finds
 *   command    run by bash while it counts; its exit code is kept
 *   feed       a directory of bpffs: the power feed is on, with its pins there, and what a reader sees is kept
 *   before, after   run by bash around it, with nothing attached
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import { batchDecoder } from '/product/dist/receiver/activity/decode.js';
import {
  powerFeedStateFlag,
  powerFeedStateHalf,
} from '/product/dist/native/feed-layout.generated.js';
import * as layout from '/product/dist/native/layout.generated.js';
import { activityPort, feedPort } from '/product/dist/native/index.js';
import { encodeRecords } from '/product/dist/policy/record-bytes.js';
import { readCounterPlan } from '/product/dist/receiver/counters/read-plan.js';
import { readCpuModel } from '/product/dist/receiver/host/cpu-model.js';
import { readTopology } from '/product/dist/receiver/host/topology.js';
import { DEFAULT_COEFFICIENTS } from '/product/dist/receiver/model/coefficients.js';

const TRUTH = '/sys/kernel/debug/simhw/truth';

const must = (either) => {
  if (either._tag === 'Left') throw new Error(JSON.stringify(either.left));
  return either.right;
};

/** `0-3,8` -> [0, 1, 2, 3, 8] */
const parseList = (text) =>
  text
    .trim()
    .split(',')
    .flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });

const cpus = parseList(readFileSync('/sys/devices/system/cpu/possible', 'utf8'));
const topology = (cpu, name) => {
  const path = `/sys/devices/system/cpu/cpu${cpu}/topology/${name}`;
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
};
const siblingOf = (cpu) =>
  parseList(topology(cpu, 'thread_siblings_list') ?? `${cpu}`).find((other) => other !== cpu) ?? -1;

const roots = { sysfs: '/sys', procfs: '/proc', cgroup: '/sys/fs/cgroup' };
const CHOICES = ['cycles', 'instructions', 'llc', 'vector'].map((kind) => ({
  kind,
  config: undefined,
}));
/** cpu-clock, cpu-clock, page-faults */
const SOFTWARE = [
  { kind: 'cycles', pmuType: 1, config: 0n },
  { kind: 'instructions', pmuType: 1, config: 0n },
  { kind: 'llc', pmuType: 1, config: 2n },
];
const COUNTERS = {
  none: () => cpus.map(() => []),
  software: () => cpus.map(() => SOFTWARE),
  hardware: () =>
    readCounterPlan(
      roots,
      { cpuModel: readCpuModel(roots), host: readTopology(roots) },
      { choices: CHOICES, cpus: { _tag: 'All' } },
    ).byCpu,
};

const port = must(activityPort());
const features = port.probeFeatures();
const decode = batchDecoder(layout);

const openSession = async (counters, feed) =>
  must(
    await port.open({
      maxTasks: 8192,
      cpuDomains: cpus.map((cpu) => Number(topology(cpu, 'physical_package_id') ?? 0)),
      smtSiblings: cpus.map(siblingOf),
      cgroupHierarchy: 'unified',
      bpfStats: true,
      counters: COUNTERS[counters](),
      cpuPackages: cpus.map((cpu) => Number(topology(cpu, 'physical_package_id') ?? 0)),
      ...(feed && { powerFeed: { directory: feed.directory, dramLineNanojoules: 15 } }),
    })(),
  );

const add = (record, key, value) => {
  record[key] = (record[key] ?? 0) + value;
};
const CPU_SUMS = ['taskNanos', 'countedNanos', 'multiplexedNanos', 'counterFailures'];
const TASK_SUMS = [
  ...['runtimeNanos', 'sliceNanos', 'overlapNanos', 'uncountedNanos'],
  ...['cycles', 'instructions', 'llcMisses', 'vectorOps', 'packageOnNanos', 'queueWaitNanos'],
];

const booksOf = () => {
  const threads = new Map();
  const totals = { windows: 0, rowNanos: 0, unslottedNanos: 0, stats: {} };
  const book = (window) => {
    totals.windows += 1;
    for (const cpu of window.cpus) {
      for (const name of CPU_SUMS) add(totals, name, cpu[name]);
      add(totals, 'unslottedNanos', cpu.unslottedNanos + cpu.overflowNanos);
      for (const [name, value] of Object.entries(cpu.stats)) add(totals.stats, name, value);
    }
    for (const task of window.tasks) {
      const key = `${task.tid}:${task.startBoottimeNanos}`;
      const thread = threads.get(key) ?? {
        tid: task.tid,
        startNanos: String(task.startBoottimeNanos),
      };
      thread.comm = task.comm;
      for (const name of TASK_SUMS) add(thread, name, task[name]);
      add(totals, 'rowNanos', task.runtimeNanos);
      threads.set(key, thread);
    }
  };
  return { threads, totals, book };
};

const bash = (text) => {
  if (text === undefined) return;
  const { status } = spawnSync('bash', ['-ec', text], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`exit code ${status}: ${text}`);
};

/** Names of the product's programs that the kernel still has. */
const programsLeft = (programs) => {
  const listed = spawnSync('bpftool', ['prog', 'list', '-j'], { encoding: 'utf8' });
  const names = new Set(programs.map((program) => program.name.slice(0, 15)));
  return JSON.parse(listed.stdout)
    .map((program) => program.name)
    .filter((name) => names.has(name));
};

const FEED_VALID_NANOS = 600_000_000_000n;
const PINS = ['state', 'package', 'cpu', 'cgroup', 'cgroup_index', 'task'];

/** As the kernel has it: name, type, bytes of key and value, entries. */
const describePin = (directory, name) => {
  const words = ['-j', 'map', 'show', 'pinned', `${directory}/${name}`];
  const map = JSON.parse(spawnSync('bpftool', words, { encoding: 'utf8' }).stdout);
  return [name, map.type, map.bytes_key, map.bytes_value, map.max_entries].join(' ');
};

/** The feed as an agent makes it: pinned, with one generation that holds until the end; and a reader's looks. */
const openFeed = (directory) => {
  mkdirSync(directory, { recursive: true });
  const { publisher } = must(must(feedPort()).openPublisher(directory, false));
  const half = {
    validUntilNs: process.hrtime.bigint() + FEED_VALID_NANOS,
    flags: powerFeedStateFlag.hasTasks,
    source: 1,
  };
  const none = new Uint8Array();
  const state = encodeRecords(powerFeedStateHalf, [half]);
  must(publisher.publish({ state, packages: none, cpus: none, cgroups: none }));
  const reader = must(must(feedPort()).openReader(directory));
  let longest;
  let isOpen = true;
  return {
    directory,
    /** Keeps the entry of the task that has run longest. The last window comes when the feed is closed already. */
    look: () => {
      if (!isOpen) return;
      for (const task of must(reader.tasks()))
        if (task.status === 0 && task.runNanos >= (longest?.runNanos ?? 0)) longest = task;
    },
    close: () => {
      isOpen = false;
      const comm = longest && Buffer.from(longest.comm).toString().split('\0')[0];
      const seen = {
        status: must(reader.read()).status,
        pins: PINS.map((name) => describePin(directory, name)),
        longest: longest && { ...longest, comm },
      };
      reader.close();
      publisher.close();
      return seen;
    },
  };
};

const count = async ({ counters, command, feed: directory }) => {
  const { threads, totals, book } = booksOf();
  const feed = directory && openFeed(directory);
  const session = await openSession(counters, feed);
  if (feed) must(session.setCoefficients([DEFAULT_COEFFICIENTS]));
  const counterFaults = must(session.counterFaults());
  must(
    session.start({ windowMillis: 500, sources: [], wakeEvery: 1 }, (batch) => {
      for (const window of must(decode(batch))) book(window);
      feed?.look();
    }),
  );
  const child = spawn('bash', ['-c', command], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  must(await session.closeWindow()());
  const programs = must(session.programStats());
  const feedSeen = feed?.close();
  must(await session.close()());
  return { code, totals, counterFaults, threads: [...threads.values()], programs, feed: feedSeen };
};

for (const run of JSON.parse(process.argv[2])) {
  bash(run.before);
  const counted = await count(run);
  if (existsSync(TRUTH)) writeFileSync(`/vm/out/${run.name}.truth`, readFileSync(TRUTH));
  bash(run.after);
  const report = {
    release: readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim(),
    features,
    ...counted,
    programsLeft: programsLeft(counted.programs),
  };
  writeFileSync(
    `/vm/out/${run.name}.json`,
    JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? Number(value) : value), 1),
  );
  if (counted.code !== 0) process.exit(counted.code ?? 1);
}
process.exit(0);
