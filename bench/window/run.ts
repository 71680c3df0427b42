// SPDX-License-Identifier: Apache-2.0
/**
 * Cost of one 1 s window on the window thread and in the kernel programs, against a /proc poller in C
 * at the same rate. Both see the same crowd, one after the other; the machine's own activity is in
 * both. Node decodes a batch of windows at a time and splits each one's energy (a package and its memory)
 * among its rows; these columns are the time per window, once warm.
 *
 *   npm run bench:window [-- WINDOWS]
 */
import { spawn, execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { activityPort } from '../../native/index.js';
import * as layout from '../../native/layout.generated.js';
import { attribute } from '../../receiver/attribution/attribute.js';
import { batchDecoder } from '../../receiver/activity/decode.js';
import type { ActivitySession } from '../../receiver/activity/port.js';
import { parseCpuList } from '../../receiver/host/cpu-list.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import { microjoules, nanos } from '../../receiver/model/units.js';
import type { DomainReading } from '../../receiver/model/window.js';
import { median } from '../lib/statistics.js';

const WINDOW_MILLIS = 1000;
const NANOS_PER_MICRO = 1000;
const DECODE_ROUNDS = 11;
/** One package and its memory, 40 J and 5 J in every window. */
const TOPOLOGY: HostTopology = {
  packageIds: [0],
  cpuDomains: [{ index: 0, packageId: 0, coreType: 'cpu', nodeId: 0 }],
  cpus: [],
};

const readingOf = (kind: 'package' | 'dram', deltaMicrojoules: bigint): DomainReading => ({
  domain: {
    id: kind,
    kind,
    name: kind,
    packageId: 0,
    parentId: undefined,
    source: 'powercap',
    origin: 'measured',
    isAttributed: true,
  },
  step: {
    _tag: 'Advanced',
    deltaMicrojoules: microjoules(deltaMicrojoules),
    spanNanos: nanos(1_000_000_000n),
    wrapped: false,
  },
});

const READINGS = [readingOf('package', 40_000_000n), readingOf('dram', 5_000_000n)];

const splitWindow = (window: ActivityWindow): void => {
  attribute({ window, readings: READINGS, topology: TOPOLOGY, idleFloors: new Map() });
};

const windowCount = Number(process.argv[2] ?? 8);

const CROWDS = [
  { title: '100 idle processes', count: 100, periodMillis: 0 },
  { title: '600 idle processes', count: 600, periodMillis: 0 },
  { title: '10,000 idle processes', count: 10_000, periodMillis: 0 },
  { title: '1,000 active tasks (2 Hz)', count: 1000, periodMillis: 500 },
  { title: '10,000 active tasks (1 Hz)', count: 10_000, periodMillis: 1000 },
];

const valueOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const sleep = (millis: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, millis));

const startCrowd = async (count: number, periodMillis: number): Promise<ChildProcess> => {
  const program = join(import.meta.dirname, 'build/crowd');
  const crowd = spawn(program, [String(count), String(periodMillis)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(crowd.stdout, 'data');
  return crowd;
};

const bpfNanos = (session: ActivitySession): number =>
  valueOf(session.programStats()).reduce((sum, { runTimeNanos }) => sum + Number(runTimeNanos), 0);

const openSession = async (): Promise<ActivitySession> => {
  const possible = parseCpuList(readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim());
  const options = {
    maxTasks: 65_536,
    cpuDomains: possible.map(() => 0),
    smtSiblings: possible.map(() => -1),
    cgroupHierarchy: 'unified',
    bpfStats: true,
  };
  return valueOf(await valueOf(activityPort()).open(options)());
};

/** Windows of the default length, without those that were closed by hand, and the programs' time in them. */
const takeWindows = async (
  session: ActivitySession,
): Promise<{
  readonly windows: readonly ActivityWindow[];
  readonly bpfNanosPerSecond: number;
  readonly decodeMicros: number;
  readonly splitMicros: number;
}> => {
  const decode = batchDecoder(layout);
  const windows: ActivityWindow[] = [];
  let decodeMicros = Number.NaN;
  let splitMicros = Number.NaN;
  const onBatch = (batch: Uint8Array): void => {
    const decoded = valueOf(decode(batch));
    decodeMicros = median(
      Array.from({ length: DECODE_ROUNDS }, () => {
        const begin = performance.now();
        decode(batch);
        return ((performance.now() - begin) * 1000) / decoded.length;
      }),
    );
    splitMicros = median(
      Array.from({ length: DECODE_ROUNDS }, () => {
        const begin = performance.now();
        for (const window of decoded) splitWindow(window);
        return ((performance.now() - begin) * 1000) / decoded.length;
      }),
    );
    windows.push(...decoded);
  };
  const settings = { windowMillis: WINDOW_MILLIS, wakeEvery: windowCount, sources: [] };
  valueOf(session.start(settings, onBatch));
  // The first windows carry the rows of every task that wakes for the first time.
  await sleep(3 * WINDOW_MILLIS);
  valueOf(await session.closeWindow()());
  windows.length = 0;
  const before = { nanos: bpfNanos(session), at: performance.now() };
  await sleep(windowCount * WINDOW_MILLIS);
  valueOf(await session.closeWindow()());
  const seconds = (performance.now() - before.at) / 1000;
  const bpfNanosPerSecond = (bpfNanos(session) - before.nanos) / seconds;
  return {
    windows: windows.filter((window) => !window.isForced),
    bpfNanosPerSecond,
    decodeMicros,
    splitMicros,
  };
};

const measureReader = async () => {
  const session = await openSession();
  const { windows, bpfNanosPerSecond, decodeMicros, splitMicros } = await takeWindows(session);
  valueOf(await session.close()());
  const of = (pick: (window: ActivityWindow) => number): number => median(windows.map(pick));
  return {
    threadMicros: of((window) => window.threadCpuNanos / NANOS_PER_MICRO),
    flushMicros: of((window) => window.flushNanos / NANOS_PER_MICRO),
    scanMicros: of((window) => window.scanNanos / NANOS_PER_MICRO),
    bpfMicros: bpfNanosPerSecond / NANOS_PER_MICRO,
    decodeMicros,
    splitMicros,
    switches: of((window) => window.cpus.reduce((sum, cpu) => sum + cpu.stats.switches, 0)),
    rows: of((window) => window.tasks.length),
  };
};

const measurePoller = (): { readonly processes: number; readonly micros: number } => {
  const program = join(import.meta.dirname, 'build/proc-poller');
  const output = execFileSync(program, [String(windowCount), String(WINDOW_MILLIS)], {
    encoding: 'utf8',
  });
  const [processes = Number.NaN, nanos = Number.NaN] = output.trim().split(' ').map(Number);
  return { processes, micros: nanos / NANOS_PER_MICRO };
};

const HEADER =
  'crowd | processes | rows | switches | flush us | scan us | decode us | split us | thread cpu us | bpf us | poller us' +
  ' | poller / (thread + bpf) | poller / thread';

const machine = `${cpus()[0]?.model ?? 'unknown'}, ${String(cpus().length)} CPUs, Linux ${release()}`;
console.log(
  `machine: ${machine}; per 1 s window; medians of ${String(windowCount)}, bpf and poller: means`,
);
console.log(HEADER);
for (const { title, count, periodMillis } of CROWDS) {
  const crowd = await startCrowd(count, periodMillis);
  const reader = await measureReader();
  const poller = measurePoller();
  crowd.kill('SIGTERM');
  await once(crowd, 'exit');
  const { rows, switches, flushMicros, scanMicros, threadMicros, bpfMicros } = reader;
  const { decodeMicros, splitMicros } = reader;
  const counts = [poller.processes, rows, switches];
  const numbers = [...counts, flushMicros, scanMicros, decodeMicros, splitMicros, threadMicros];
  const ratios = [poller.micros / (threadMicros + bpfMicros), poller.micros / threadMicros];
  const cells = [
    title,
    ...[...numbers, bpfMicros, poller.micros].map((value) => value.toFixed(0)),
    ...ratios.map((value) => `${value.toFixed(1)} x`),
  ];
  console.log(cells.join(' | '));
}
