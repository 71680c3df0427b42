// SPDX-License-Identifier: Apache-2.0
/**
 * How far the mean share of a package's busy CPUs is from the exact integral of 1 / n, by package
 * size: `tsx bench/package-on/error.ts [windows]`. One task per CPU, busy and idle in turn with
 * periods of its own (log-uniform 0.1 to 20 ms, duty 2 to 98 %), windows of one second; the mean is
 * that of the window before, as the agent uses it. Printed: half the sum of |share - exact share| of
 * V, and of the joules that hang on it: 6 W while any CPU is busy beside 4 W per busy CPU.
 */
import { argv, stdout } from 'node:process';

const WINDOW_MICROS = 1_000_000;
const PACKAGE_ON_WATTS = 6;
const CPU_WATTS = 4;

/** A small generator with a seed, so that two runs print the same. */
const randomOf = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

class Cpu {
  public isBusy = false;
  public edgeAt = 0;
  public busyMicros = 0;
  public exactMicros = 0;
  private since = { at: 0, on: 0 };

  public constructor(
    public readonly onMicros: number,
    public readonly offMicros: number,
  ) {}

  public begin(at: number, on: number): void {
    this.since = { at, on };
    [this.busyMicros, this.exactMicros] = [0, 0];
  }

  /** `on`: the package's integral of 1 / n. */
  public book(at: number, on: number): void {
    if (this.isBusy) {
      this.busyMicros += at - this.since.at;
      this.exactMicros += on - this.since.on;
    }
    this.since = { at, on };
  }
}

const nextEdge = (cpus: readonly Cpu[]): Cpu | undefined => {
  let first = cpus[0];
  for (const cpu of cpus) if (cpu.edgeAt < (first?.edgeAt ?? 0)) first = cpu;
  return first;
};

/** Busy time and exact V of each CPU over one window; moves the CPUs on. */
const simulate = (cpus: readonly Cpu[], from: number, random: () => number) => {
  const end = from + WINDOW_MICROS;
  const span = (mean: number): number => -Math.log(1 - random()) * mean;
  let running = cpus.filter(({ isBusy }) => isBusy).length;
  let [now, on] = [from, 0];
  for (const cpu of cpus) cpu.begin(now, on);
  for (let cpu = nextEdge(cpus); cpu !== undefined && cpu.edgeAt < end; cpu = nextEdge(cpus)) {
    if (running > 0) on += (cpu.edgeAt - now) / running;
    now = cpu.edgeAt;
    cpu.book(now, on);
    cpu.isBusy = !cpu.isBusy;
    running += cpu.isBusy ? 1 : -1;
    cpu.edgeAt = now + span(cpu.isBusy ? cpu.onMicros : cpu.offMicros);
  }
  if (running > 0) on += (end - now) / running;
  for (const cpu of cpus) cpu.book(end, on);
  return {
    busy: Float64Array.from(cpus, ({ busyMicros }) => busyMicros),
    exact: Float64Array.from(cpus, ({ exactMicros }) => exactMicros),
  };
};

const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** native/src/package_shares.cc, MeanShare(). */
const meanShare = (busy: Float64Array): number => {
  const ratios = [...busy].map((micros) => Math.min(1, micros / WINDOW_MICROS));
  const idle = ratios.reduce((product, ratio) => product * (1 - ratio), 1);
  const sum = ratios.reduce((left, right) => left + right, 0);
  return sum > 0 ? Math.min(1, Math.max(1 / busy.length, (1 - idle) / sum)) : 1;
};

const misplaced = (estimate: Float64Array, exact: Float64Array): number => {
  const [left, right] = [total(estimate), total(exact)];
  return exact.reduce(
    (sum, value, at) => sum + Math.abs((estimate[at] ?? 0) / left - value / right) / 2,
    0,
  );
};

const joules = (busy: Float64Array, on: Float64Array): Float64Array => {
  // V is scaled to what the package was on for: its energy is what it is
  return busy.map((micros, at) => CPU_WATTS * micros + PACKAGE_ON_WATTS * (on[at] ?? 0));
};

const seriesOf = (size: number, windows: number, random: () => number) => {
  const cpus = Array.from({ length: size }, () => {
    const period = 100 * 200 ** random();
    const duty = 0.02 + 0.96 * random() ** 2;
    return new Cpu(period * duty, period * (1 - duty));
  });
  let share = meanShare(simulate(cpus, 0, random).busy);
  let [shares, energy] = [0, 0];
  for (let window = 1; window <= windows; window++) {
    const { busy, exact } = simulate(cpus, window * WINDOW_MICROS, random);
    const mean = busy.map((micros) => micros * share);
    shares += misplaced(mean, exact);
    energy += misplaced(joules(busy, mean), joules(busy, exact));
    share = meanShare(busy);
  }
  return { shares: (100 * shares) / windows, energy: (100 * energy) / windows };
};

const machines = Number(argv[2] ?? 10);
stdout.write(
  'CPUs  V misplaced %  energy misplaced %   (mean of the window before, not counted)\n',
);
for (const size of [2, 4, 8, 16, 32, 64]) {
  const random = randomOf(size);
  const runs = Array.from({ length: machines }, () => seriesOf(size, 2, random));
  const mean = (pick: (run: (typeof runs)[number]) => number): string =>
    (runs.reduce((sum, run) => sum + pick(run), 0) / machines).toFixed(2);
  stdout.write(
    `${String(size).padStart(4)}  ${mean((run) => run.shares).padStart(13)}  ${mean((run) => run.energy).padStart(18)}\n`,
  );
}
