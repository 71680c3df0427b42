// SPDX-License-Identifier: Apache-2.0
/**
 * What the whole agent costs: CPU of its process and of its BPF programs, and memory, with N active
 * tasks, windows of 1 s and an export every 10 s to a real gRPC server. `npm run bench:agent`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
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

const TASKS = [100, 1_000, 10_000];
const MEASURE_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 30);
const WARM_SECONDS = 12;
const TICKS_PER_SECOND = 100;

const wait = async (durationMillis: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, durationMillis);
  });

const buildPulse = (): string => {
  const binary = join(mkdtempSync(join(tmpdir(), 'wattfeed-bench-')), 'pulse');
  const source = fileURLToPath(new URL('pulse.c', import.meta.url));
  execFileSync('cc', ['-O2', '-o', binary, source, '-lpthread']);
  return binary;
};

/** utime + stime of a process, seconds. */
const cpuSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
};

const residentMebibytes = (pid: number): number => {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) / 1024;
};

/** Run time of the agent's programs, seconds; needs kernel.bpf_stats, which the agent turns on. */
const bpfSeconds = (ids: readonly number[]): number =>
  ids.reduce((sum, id) => {
    const text = execFileSync('bpftool', ['prog', 'show', 'id', String(id)], { encoding: 'utf8' });
    return sum + Number(/run_time_ns (\d+)/.exec(text)?.[1] ?? 0) / 1e9;
  }, 0);

interface Row {
  readonly tasks: number;
  readonly agentPercent: number;
  readonly bpfPercent: number;
  readonly residentMebibytes: number;
}

const measure = async (pulse: string, tasks: number): Promise<Row> => {
  const sink = await new GrpcSink().start();
  const place = agentPlace();
  // 1,000 tasks x 2 a second x 100 us = 20 % of a CPU; 10,000 x 1 x 20 us the same.
  const [period, burnMicros] = tasks > 1_000 ? [1_000, 20] : [500, 100];
  const load = spawn(pulse, [String(tasks), String(period), String(burnMicros)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(load.stdout, 'data');
  const agent = await startAgent(place, {
    flags: ['--accounting-bpf-stats=true'],
    env: {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
      OTEL_METRIC_EXPORT_INTERVAL: '10000',
    },
  });
  await wait(WARM_SECONDS * 1000);
  const ids = heldProgramIds(agent.pid);
  const before = { cpu: cpuSeconds(agent.pid), bpf: bpfSeconds(ids), at: performance.now() };
  await wait(MEASURE_SECONDS * 1000);
  const seconds = (performance.now() - before.at) / 1000;
  const row = {
    tasks,
    agentPercent: (100 * (cpuSeconds(agent.pid) - before.cpu)) / seconds,
    bpfPercent: (100 * (bpfSeconds(ids) - before.bpf)) / seconds,
    residentMebibytes: residentMebibytes(agent.pid),
  };
  await stopAgent(agent);
  load.stdin.end();
  await once(load, 'exit');
  sink.stop();
  place.remove();
  return row;
};

const pulse = buildPulse();
console.log(
  `${cpus()[0]?.model ?? 'unknown CPU'}, ${String(cpus().length)} CPUs, Linux ${release()}`,
);
console.log(`windows of 1 s, export every 10 s, ${String(MEASURE_SECONDS)} s each; % of one CPU`);
console.log('active tasks   agent %   BPF %   RSS MiB');
for (const tasks of TASKS) {
  const row = await measure(pulse, tasks);
  console.log(
    [
      String(row.tasks).padStart(12),
      row.agentPercent.toFixed(2).padStart(9),
      row.bpfPercent.toFixed(2).padStart(7),
      row.residentMebibytes.toFixed(0).padStart(9),
    ].join(' '),
  );
}
