// SPDX-License-Identifier: Apache-2.0
/**
 * What the whole agent costs with N active tasks, windows of 1 s and an export every 10 s to a real gRPC
 * server: CPU time of its process and of its BPF programs, and resident memory. `npm run bench:agent`;
 * BENCH_SECONDS measures longer than 60 s, BENCH_TASKS=1000 that many tasks only; BENCH_BESIDE is a command
 * that runs meanwhile, such as a spinner, so that the agent examines it.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  agentPlace,
  heldProgramIds,
  startAgent,
  stopAgent,
} from '../../test/support/agent-process.js';
import { GrpcSink } from '../../test/support/grpc-sink.js';
import {
  hostCounts,
  programSeconds,
  residentMebibytes,
  threadSeconds,
  type Resident,
  type ThreadSeconds,
} from './cost.js';

const TASKS = (process.env['BENCH_TASKS'] ?? '100,1000,10000').split(',').map(Number);
const BESIDE = process.env['BENCH_BESIDE'];
const MEASURE_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 60);
/** V8 compiles what has become hot for some 40 s; that costs several times the steady state. */
const WARM_SECONDS = 60;
/** An empty message, by which the agent greets a collector, is smaller. */
const MIN_EXPORT_BYTES = 4_096;
/** The agent ends with this process, even when it is killed. */
const WITH_US = ['setpriv', '--pdeathsig', 'TERM'];

const wait = async (durationMillis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMillis);
  });

const buildPulse = (directory: string): string => {
  const binary = join(directory, 'pulse');
  const source = fileURLToPath(new URL('pulse.c', import.meta.url));
  execFileSync('cc', ['-O2', '-o', binary, source, '-lpthread']);
  return binary;
};

/** 1,000 tasks x 2 a second x 100 us = 20 % of a CPU; 10,000 x 1 x 20 us the same. */
const startLoad = async (pulse: string, tasks: number): Promise<ChildProcess> => {
  const [period, burnMicros] = tasks > 1_000 ? [1_000, 20] : [500, 100];
  // A group of its own, so that all its processes can be ended at once.
  const load = spawn(pulse, [String(tasks), String(period), String(burnMicros)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  await once(load.stdout, 'data');
  return load;
};

const endGroup = async (load: ChildProcess): Promise<void> => {
  if (load.pid === undefined || load.exitCode !== null || load.signalCode !== null) return;
  const ended = once(load, 'exit');
  process.kill(-load.pid, 'SIGKILL');
  await ended;
};

interface Row {
  readonly tasks: number;
  /** Percent of one CPU. */
  readonly threads: ThreadSeconds;
  readonly programPercent: number;
  readonly resident: Resident;
  /** What else ran: percent of all CPUs that were busy, and processes and threads made per second. */
  readonly hostBusyPercent: number;
  readonly forksPerSecond: number;
}

const observe = async (pid: number, tasks: number): Promise<Row> => {
  const ids = heldProgramIds(pid);
  const look = () => ({
    at: performance.now(),
    threads: threadSeconds(pid),
    programs: programSeconds(ids),
    host: hostCounts(),
  });
  const before = look();
  await wait(MEASURE_SECONDS * 1000);
  const after = look();
  const seconds = (after.at - before.at) / 1000;
  const percent = (from: number, to: number): number => (100 * (to - from)) / seconds;
  const ofThreads = (kind: keyof ThreadSeconds): number =>
    percent(before.threads[kind], after.threads[kind]);
  return {
    tasks,
    threads: {
      main: ofThreads('main'),
      engine: ofThreads('engine'),
      window: ofThreads('window'),
      other: ofThreads('other'),
    },
    programPercent: percent(before.programs, after.programs),
    resident: residentMebibytes(pid),
    hostBusyPercent:
      (100 * (after.host.busyTicks - before.host.busyTicks)) /
      (after.host.allTicks - before.host.allTicks),
    forksPerSecond: (after.host.forks - before.host.forks) / seconds,
  };
};

const measure = async (load: ChildProcess, tasks: number): Promise<Row> => {
  const sink = await new GrpcSink().start();
  const place = agentPlace();
  try {
    const agent = await startAgent(place, {
      flags: ['--accounting-bpf-stats=true'],
      wrapper: WITH_US,
      env: {
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
        OTEL_METRIC_EXPORT_INTERVAL: '10000',
      },
    });
    try {
      await wait(WARM_SECONDS * 1000);
      const row = await observe(agent.pid, tasks);
      if (!sink.requestBytes.some((bytes) => bytes > MIN_EXPORT_BYTES))
        throw new Error(`nothing was exported: ${agent.log()}`);
      if (load.exitCode !== null) throw new Error('the load ended before the agent was measured');
      return row;
    } finally {
      await stopAgent(agent);
    }
  } finally {
    sink.stop();
    place.remove();
  }
};

const measureUnder = async (pulse: string, tasks: number): Promise<Row> => {
  const load = await startLoad(pulse, tasks);
  const beside =
    BESIDE === undefined
      ? undefined
      : spawn('sh', ['-c', `exec ${BESIDE}`], { stdio: 'ignore', detached: true });
  try {
    const row = await measure(load, tasks);
    if (beside !== undefined && beside.exitCode !== null)
      throw new Error(`BENCH_BESIDE ended with code ${String(beside.exitCode)}: ${BESIDE ?? ''}`);
    return row;
  } finally {
    await endGroup(load);
    if (beside !== undefined) await endGroup(beside);
  }
};

const CPU_COLUMNS = ['CPU %', 'main', 'V8', 'window', 'BPF %'];
const MEMORY_COLUMNS = ['RSS', 'anon', 'file', 'peak'];
const HOST_COLUMNS = ['host %', 'forks/s'];

const line = (cells: readonly string[]): string => cells.map((cell) => cell.padStart(8)).join('');

const cellsOf = ({ tasks, threads, programPercent, resident, ...row }: Row): string => {
  const { main, engine, window, other } = threads;
  const percents = [main + engine + window + other, main, engine, window, programPercent];
  const sizes = [resident.all, resident.anonymous, resident.file, resident.peak];
  return line([
    String(tasks),
    ...percents.map((value) => value.toFixed(3)),
    ...sizes.map((value) => value.toFixed(0)),
    row.hostBusyPercent.toFixed(0),
    row.forksPerSecond.toFixed(0),
  ]);
};

const directory = mkdtempSync(join(tmpdir(), 'wattfeed-bench-'));
try {
  const pulse = buildPulse(directory);
  const model = cpus()[0]?.model ?? 'unknown CPU';
  console.log(
    `${model}, ${String(cpus().length)} CPUs, Linux ${release()}, Node ${process.version}`,
  );
  console.log(
    `after ${String(WARM_SECONDS)} s, for ${String(MEASURE_SECONDS)} s: % of one CPU; memory in MiB; host: all that ran meanwhile`,
  );
  console.log(line(['tasks', ...CPU_COLUMNS, ...MEMORY_COLUMNS, ...HOST_COLUMNS]));
  for (const tasks of TASKS) console.log(cellsOf(await measureUnder(pulse, tasks)));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
