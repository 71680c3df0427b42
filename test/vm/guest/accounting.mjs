// SPDX-License-Identifier: Apache-2.0
/**
 * The product's accounting in the simulated machine: loads and attaches it through the addon, runs a command,
 * sums every window's rows by thread, detaches. accounting.mjs OUT.json COMMAND...
 * COUNTERS=software counts software events on each CPU, which any kernel has; COUNTERS=hardware what the product
 * finds on the core PMU, with WIDE as the number of the vector event.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { batchDecoder } from '/product/dist/receiver/activity/decode.js';
import * as layout from '/product/dist/native/layout.generated.js';
import { activityPort } from '/product/dist/native/index.js';
import { readCounterPlan } from '/product/dist/receiver/counters/read-plan.js';
import { readCpuModel } from '/product/dist/receiver/host/cpu-model.js';
import { readTopology } from '/product/dist/receiver/host/topology.js';

const [outPath, ...command] = process.argv.slice(2);

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
const CHOICES = ['cycles', 'instructions', 'llc'].map((kind) => ({ kind, config: undefined }));
/** cpu-clock, cpu-clock, page-faults */
const SOFTWARE = [
  { kind: 'cycles', pmuType: 1, config: 0n },
  { kind: 'instructions', pmuType: 1, config: 0n },
  { kind: 'llc', pmuType: 1, config: 2n },
];
const hardwareCounters = () => {
  const vector = { kind: 'vector', config: BigInt(process.env.WIDE ?? '0x30c7') };
  return readCounterPlan(
    roots,
    { cpuModel: readCpuModel(roots), host: readTopology(roots) },
    { choices: [...CHOICES, vector], cpus: { _tag: 'All' } },
  ).byCpu;
};
const COUNTERS = {
  software: () => cpus.map(() => SOFTWARE),
  hardware: hardwareCounters,
};
const counters = COUNTERS[process.env.COUNTERS]?.() ?? cpus.map(() => []);

const port = must(activityPort());
const features = port.probeFeatures();
const session = must(
  await port.open({
    maxTasks: 8192,
    cpuDomains: cpus.map((cpu) => Number(topology(cpu, 'physical_package_id') ?? 0)),
    smtSiblings: cpus.map(siblingOf),
    cgroupHierarchy: 'unified',
    bpfStats: true,
    counters,
    cpuPackages: cpus.map((cpu) => Number(topology(cpu, 'physical_package_id') ?? 0)),
  })(),
);

const threads = new Map();
const counterFaults = must(session.counterFaults());
const totals = { windows: 0, taskNanos: 0, rowNanos: 0, unslottedNanos: 0, stats: {} };
const decode = batchDecoder(layout);
const add = (record, key, value) => {
  record[key] = (record[key] ?? 0) + value;
};
const book = (window) => {
  totals.windows += 1;
  for (const cpu of window.cpus) {
    add(totals, 'taskNanos', cpu.taskNanos);
    add(totals, 'unslottedNanos', cpu.unslottedNanos + cpu.overflowNanos);
    add(totals, 'countedNanos', cpu.countedNanos);
    add(totals, 'multiplexedNanos', cpu.multiplexedNanos);
    add(totals, 'counterFailures', cpu.counterFailures);
    for (const [name, value] of Object.entries(cpu.stats)) add(totals.stats, name, value);
  }
  for (const task of window.tasks) {
    const key = `${task.tid}:${task.startBoottimeNanos}`;
    const thread = threads.get(key) ?? {
      tid: task.tid,
      startNanos: String(task.startBoottimeNanos),
    };
    thread.comm = task.comm;
    add(thread, 'runtimeNanos', task.runtimeNanos);
    add(thread, 'sliceNanos', task.sliceNanos);
    add(thread, 'overlapNanos', task.overlapNanos);
    add(thread, 'uncountedNanos', task.uncountedNanos);
    add(thread, 'cycles', task.cycles);
    add(thread, 'instructions', task.instructions);
    add(thread, 'llcMisses', task.llcMisses);
    add(thread, 'vectorOps', task.vectorOps);
    add(thread, 'packageOnNanos', task.packageOnNanos);
    add(thread, 'queueWaitNanos', task.queueWaitNanos);
    add(totals, 'rowNanos', task.runtimeNanos);
    threads.set(key, thread);
  }
};
must(
  session.start({ windowMillis: 500, sources: [], wakeEvery: 1 }, (batch) => {
    for (const window of must(decode(batch))) book(window);
  }),
);

const child = spawn('bash', ['-c', command.join(' ')], { stdio: 'inherit' });
const [code] = await once(child, 'exit');
must(await session.closeWindow()());
const programs = must(session.programStats());
must(await session.close()());

const left = JSON.parse(
  spawnSync('bpftool', ['prog', 'list', '-j'], { encoding: 'utf8' }).stdout || '[]',
);
const names = new Set(programs.map((program) => program.name.slice(0, 15)));
writeFileSync(
  outPath,
  JSON.stringify(
    {
      release: readFileSync('/proc/sys/kernel/osrelease', 'utf8').trim(),
      code,
      features,
      totals,
      counterFaults,
      threads: [...threads.values()],
      programs,
      programsLeft: left
        .filter((program) => names.has(program.name))
        .map((program) => program.name),
    },
    (_, value) => (typeof value === 'bigint' ? Number(value) : value),
    1,
  ),
);
process.exit(code ?? 1);
