// SPDX-License-Identifier: Apache-2.0
/**
 * What looking for spinning threads costs: the agent's CPU time with it and without, with as many
 * busy threads as SPIN_THREADS says (0,500), and the sampler's time per sample. `npm run bench:spin-cost`;
 * SPIN_SECONDS says how long each run is measured (60).
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { CORPUS } from '../../test/spin/corpus.js';
import { agentPlace, startAgent, stopAgent } from '../../test/support/agent-process.js';
import { processCost } from '../../test/support/process-cost.js';

const SECONDS = Number(process.env['SPIN_SECONDS'] ?? 60);
const THREADS = (process.env['SPIN_THREADS'] ?? '0,500').split(',');
const WARM_MILLIS = 20_000;
const LOOK_MILLIS = 250;
const SAMPLER = 'wf_spin_sample';
const STATS = '/proc/sys/kernel/bpf_stats_enabled';

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
    if (count === 0) return 'no sample';
    return `${String(count)} samples, ${(nanos / count).toFixed(0)} ns each`;
  }
}

const startLoad = (threads: string): ChildProcess | undefined =>
  threads === '0'
    ? undefined
    : spawn('nice', ['-n', '19', `${CORPUS}build/busy-O2`, threads], { stdio: 'ignore' });

const measure = async (isEnabled: boolean, threads: string): Promise<string> => {
  const place = agentPlace();
  const agent = await startAgent(place, {
    flags: [`--spin-enabled=${String(isEnabled)}`],
    env: { OTEL_SDK_DISABLED: 'true' },
  });
  const load = startLoad(threads);
  await wait(WARM_MILLIS);
  const sampler = new SamplerTime();
  const before = processCost(agent.pid).cpuSeconds;
  for (const end = performance.now() + SECONDS * 1_000; performance.now() < end;) {
    if (isEnabled) sampler.look();
    await wait(LOOK_MILLIS);
  }
  const percent = (100 * (processCost(agent.pid).cpuSeconds - before)) / SECONDS;
  load?.kill('SIGKILL');
  await stopAgent(agent);
  place.remove();
  return `${percent.toFixed(2)} % of a CPU${isEnabled ? `, ${sampler.text()}` : ''}`;
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const stats = readFileSync(STATS, 'utf8');
try {
  execFileSync('make', ['--silent', '-C', CORPUS], { stdio: 'inherit' });
  writeFileSync(STATS, '1');
  for (const threads of THREADS) {
    say(`${threads} busy threads, not looked for: ${await measure(false, threads)}`);
    say(`${threads} busy threads, looked for: ${await measure(true, threads)}`);
  }
} finally {
  writeFileSync(STATS, stats);
}
