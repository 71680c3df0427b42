// SPDX-License-Identifier: Apache-2.0
/**
 * What looking for spinning threads costs. `npm run bench:spin-cost`:
 *   one sample    of the sampled thread's time, the interrupt included (sample-cost.ts)
 *   the agent     two of them side by side, one that looks and one that does not, with as many busy threads
 *                 as SPIN_THREADS says (0,32,500), for SPIN_SECONDS (60) in slices
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { SAMPLES_PER_SECOND } from '../../receiver/spin/sampling-rate.js';
import { CORPUS } from '../../test/spin/corpus.js';
import {
  agentPlace,
  startAgent,
  stopAgent,
  type AgentPlace,
  type AgentProcess,
} from '../../test/support/agent-process.js';
import { residentMebibytes, threadSeconds } from '../agent/cost.js';
import { sampleCost } from './sample-cost.js';

const SECONDS = Number(process.env['SPIN_SECONDS'] ?? 60);
const THREADS = (process.env['SPIN_THREADS'] ?? '0,32,500').split(',');
const SAMPLE_SECONDS = 6;
/** What the sampled program walks through: nothing, and more than the caches hold. */
const MEMORIES_KIB = [0, 65_536];
const WARM_MILLIS = 20_000;
/** As long as a batch of windows that nobody waits for. */
const SLICE_MILLIS = 10_000;
const LOOK_MILLIS = 250;
const SAMPLER = 'wf_spin_sample';
const STATS = '/proc/sys/kernel/bpf_stats_enabled';
const NANOS_PER_SECOND = 1e9;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const percent = (ratio: number): string => `${(100 * ratio).toFixed(3)} %`;

const programsSchema = z.array(
  z.looseObject({
    name: z.string().optional(),
    id: z.number(),
    run_time_ns: z.number().optional(),
    run_cnt: z.number().optional(),
  }),
);

/** The sampler is loaded and unloaded again and again: its programs by id, as last seen. */
class SamplerTime {
  readonly #seen = new Map<number, { readonly nanos: number; readonly count: number }>();

  look(): void {
    const text = execFileSync('bpftool', ['-j', 'prog', 'show'], { encoding: 'utf8' });
    for (const { name, id, run_time_ns = 0, run_cnt = 0 } of programsSchema.parse(JSON.parse(text)))
      if (name === SAMPLER) this.#seen.set(id, { nanos: run_time_ns, count: run_cnt });
  }

  text(): string {
    const seen = [...this.#seen.values()];
    const nanos = seen.reduce((sum, one) => sum + one.nanos, 0);
    const count = seen.reduce((sum, one) => sum + one.count, 0);
    if (count === 0) return 'no sample was taken';
    return `${String(count)} samples, ${(nanos / count).toFixed(0)} ns each in the BPF program`;
  }
}

const startLoad = (threads: string): ChildProcess | undefined =>
  threads === '0'
    ? undefined
    : spawn('nice', ['-n', '19', `${CORPUS}build/busy-O2`, threads], { stdio: 'ignore' });

/** Of all its threads; those that have ended are missing. */
const cpuSeconds = (pid: number): number => {
  const { main, engine, window, other } = threadSeconds(pid);
  return main + engine + window + other;
};

const startWith = async (isLooking: boolean): Promise<[AgentPlace, AgentProcess]> => {
  const place = agentPlace();
  const agent = await startAgent(place, {
    flags: [`--spin-enabled=${String(isLooking)}`],
    env: { OTEL_SDK_DISABLED: 'true' },
  });
  return [place, agent];
};

interface Shares {
  readonly looking: number;
  readonly not: number;
}

/** Of a CPU, by slices in which both ran. */
const slicesOf = async (looking: number, not: number, look: () => void): Promise<Shares[]> => {
  const shares: Shares[] = [];
  for (let at = 0; at < (SECONDS * 1_000) / SLICE_MILLIS; at += 1) {
    const before = [cpuSeconds(looking), cpuSeconds(not)] as const;
    const begin = performance.now();
    while (performance.now() < begin + SLICE_MILLIS) {
      look();
      await wait(LOOK_MILLIS);
    }
    const seconds = (performance.now() - begin) / 1_000;
    shares.push({
      looking: (cpuSeconds(looking) - before[0]) / seconds,
      not: (cpuSeconds(not) - before[1]) / seconds,
    });
  }
  return shares;
};

const residentText = (pid: number): string => {
  const { all, peak } = residentMebibytes(pid);
  return `${all.toFixed(0)} MiB (${peak.toFixed(0)} at most)`;
};

const compare = async (threads: string): Promise<void> => {
  const agents = [await startWith(false), await startWith(true)] as const;
  const [[, not], [, looking]] = agents;
  const load = startLoad(threads);
  const sampler = new SamplerTime();
  try {
    await wait(WARM_MILLIS);
    const slices = await slicesOf(looking.pid, not.pid, () => sampler.look());
    const mean = (of: (one: Shares) => number): number =>
      slices.reduce((sum, one) => sum + of(one), 0) / slices.length;
    const ratios = slices.map((one) => one.looking / one.not);
    say(
      `${threads} busy threads: the agent takes ${percent(mean((one) => one.not))} of a CPU, ` +
        `${percent(mean((one) => one.looking))} looking: ratio ` +
        `${(mean((one) => one.looking) / mean((one) => one.not)).toFixed(2)}, in slices of 10 s ` +
        `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; ${sampler.text()}; ` +
        `memory ${residentText(not.pid)}, ${residentText(looking.pid)} looking`,
    );
  } finally {
    load?.kill('SIGKILL');
    for (const [place, agent] of agents) {
      await stopAgent(agent);
      place.remove();
    }
  }
};

const stats = readFileSync(STATS, 'utf8');
try {
  execFileSync('make', ['--silent', '-C', CORPUS], { stdio: 'inherit' });
  for (const memoryKib of MEMORIES_KIB) {
    const { nanosEach, sliceCount } = await sampleCost(memoryKib, SAMPLE_SECONDS);
    const share = (nanosEach * SAMPLES_PER_SECOND) / NANOS_PER_SECOND;
    say(
      `one sample, of a program that walks through ${String(memoryKib)} KiB: ${nanosEach.toFixed(0)} ns ` +
        `(${String(sliceCount)} slices); ${String(SAMPLES_PER_SECOND)} a second: ${percent(share)} of a CPU`,
    );
  }
  writeFileSync(STATS, '1');
  for (const threads of THREADS) await compare(threads);
} finally {
  writeFileSync(STATS, stats);
}
