// SPDX-License-Identifier: Apache-2.0
/** One machine's day: idle, a varied load to learn from, then every mix once more, scored. */
import { frequencyFactor } from '../../receiver/model/frequency-factor.js';
import { MEMORY_PEERS } from './estimate/memory-peers.js';
import { peers } from './estimate/peers.js';
import { Product } from './product.js';
import { Score } from './score.js';
import { LoadBuilder } from './sim/load-builder.js';
import { HYBRID, randomMachine, type Machine, type MachineShape } from './sim/machine.js';
import { HYBRID_LESSONS, IDLE_MIX, type Mix } from './sim/mixes.js';
import { Random } from './sim/random.js';
import { Simulator, type SimulatedWindow, type ThreadRow } from './sim/simulator.js';
import { planOf, toActivityWindow } from './sim/to-window.js';

export interface ExperimentOptions {
  readonly seed: number;
  /** 0.25: electrical constants are off their usual values by about +-25 %. */
  readonly spread: number;
  readonly mixes: readonly Mix[];
  readonly windowMillis: number;
  /** Of each mix, twice, before anything is scored. */
  readonly trainSeconds: number;
  /** Of one mix alone, another one for each seed: does a steady load mislead the calibration? */
  readonly steadySeconds: number;
  readonly scoreSeconds: number;
}

export interface MixScore {
  readonly misattributed: number;
  readonly misbilled: number;
  readonly worst: number;
  readonly shares: readonly number[];
}

/** By mix, then by method. */
export interface ExperimentResult {
  readonly seed: number;
  readonly mixes: Readonly<
    Record<
      string,
      {
        readonly shapley: Readonly<Record<string, MixScore>>;
        readonly marginal: Readonly<Record<string, MixScore>>;
        readonly memory: Readonly<Record<string, MixScore>>;
      }
    >
  >;
}

const IDLE_SECONDS = 12;
const KILOHERTZ_PER_GIGAHERTZ = 1e6;
const NANOJOULES_PER_JOULE = 1e9;

/** φ with the all-core turbo as reference, as the agent's table has it. */
const phiOf =
  (machine: Machine) =>
  (coreType: string): ((gigahertz: number) => number) => {
    const reference = machine.coreTypes[coreType]?.turbo.at(-1)?.[1];
    const referenceKhz = reference === undefined ? undefined : reference * KILOHERTZ_PER_GIGAHERTZ;
    return (gigahertz) => frequencyFactor(gigahertz * KILOHERTZ_PER_GIGAHERTZ, referenceKhz);
  };

/** A machine that runs one load after another, and everybody who watches it. */
export class Bench {
  public readonly simulator: Simulator;
  private nextPid = 1000;
  private nextSlot = 1;
  private readonly slots = new WeakMap<object, Map<number, number>>();
  private readonly random: Random;

  public constructor(
    { seed, spread }: Pick<ExperimentOptions, 'seed' | 'spread'>,
    shape: MachineShape,
  ) {
    this.random = new Random(seed * 7919 + 17);
    const machine = randomMachine(this.random.fork(1), shape, spread);
    this.simulator = new Simulator(machine, { phi: phiOf(machine) }, this.random.fork(2));
  }

  public *run(
    mix: Mix,
    seconds: number,
    windowMillis: number,
  ): Generator<{
    readonly simulated: SimulatedWindow;
    readonly window: ReturnType<typeof toActivityWindow>;
  }> {
    const { simulator } = this;
    const { machine } = simulator;
    const builder = new LoadBuilder(machine, this.random.fork(this.nextPid), () => this.nextPid++);
    mix.build(builder);
    const load = builder.finish(mix);
    for (const simulated of simulator.run(load, seconds, windowMillis))
      yield { simulated, window: toActivityWindow(simulated, machine.topology, this.slotOf) };
  }

  private readonly slotOf = ({ thread, cpuDomain }: ThreadRow): number => {
    const own = this.slots.get(thread) ?? new Map<number, number>();
    this.slots.set(thread, own);
    const known = own.get(cpuDomain);
    if (known !== undefined) return known;
    own.set(cpuDomain, this.nextSlot);
    return this.nextSlot++;
  };
}

class Scores {
  private readonly byMethod = new Map<string, Score>();

  public add(method: string, estimated: ArrayLike<number>, truth: ArrayLike<number>): void {
    const score = this.byMethod.get(method) ?? new Score();
    this.byMethod.set(method, score);
    score.add(estimated, truth);
  }

  public result(): Readonly<Record<string, MixScore>> {
    return Object.fromEntries(
      [...this.byMethod].map(([method, score]) => [
        method,
        {
          misattributed: score.misattributed,
          misbilled: score.misbilled,
          worst: score.worst(),
          shares: score.sharesOf(),
        },
      ]),
    );
  }
}

const scoreMix = (bench: Bench, mix: Mix, options: ExperimentOptions, product: Product) => {
  const { topology } = bench.simulator.machine;
  const { physics } = bench.simulator;
  const packageOfDomain = topology.cpuDomains.map(({ packageId }) => packageId);
  const nodeOfDomain = topology.cpuDomains.map(({ nodeId }) => nodeId);
  const [shapley, marginal, memory] = [new Scores(), new Scores(), new Scores()];
  const others = peers();
  let packages = physics.packageNanojoules.slice();
  let nodes = physics.memoryNanojoules.slice();
  for (const { simulated, window } of bench.run(mix, options.scoreSeconds, options.windowMillis)) {
    const nanos = Number(simulated.endNanos - simulated.startNanos);
    const packageJoules = topology.packageIds.map(
      (id) =>
        ((physics.packageNanojoules[id] ?? 0) -
          (packages[id] ?? 0) -
          physics.idleWatts(id) * nanos) /
        NANOJOULES_PER_JOULE,
    );
    const background = bench.simulator.machine.memory.backgroundWatts * nanos;
    const nodeJoules = topology.packageIds.map(
      (id) =>
        ((physics.memoryNanojoules[id] ?? 0) - (nodes[id] ?? 0) - background) /
        NANOJOULES_PER_JOULE,
    );
    packages = physics.packageNanojoules.slice();
    nodes = physics.memoryNanojoules.slice();
    const { truth } = simulated;
    for (const peer of others) {
      const split = peer.split({ window: simulated, packageJoules, packageOfDomain });
      shapley.add(peer.name, split, truth.shapley);
      marginal.add(peer.name, split, truth.marginal);
    }
    for (const peer of MEMORY_PEERS)
      memory.add(
        peer.name,
        peer.split({ window: simulated, nodeJoules, nodeOfDomain }),
        truth.memory,
      );
    for (const [name, split] of product.advance(window, simulated)) {
      shapley.add(name, split.cpu, truth.shapley);
      marginal.add(name, split.cpu, truth.marginal);
      memory.add(name, split.memory, truth.memory);
    }
  }
  return { shapley: shapley.result(), marginal: marginal.result(), memory: memory.result() };
};

const shuffled = <T>(items: readonly T[], random: Random): readonly T[] =>
  items
    .map((item) => ({ item, key: random.uniform() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

const runShape = (
  options: ExperimentOptions,
  shape: MachineShape,
  mixes: readonly Mix[],
): ExperimentResult['mixes'] => {
  const bench = new Bench(options, shape);
  const product = new Product(planOf(bench.simulator), bench.simulator.machine.topology);
  const teach = (mix: Mix, seconds: number): void => {
    for (const { simulated, window } of bench.run(mix, seconds, options.windowMillis))
      product.advance(window, simulated);
  };
  teach(IDLE_MIX, IDLE_SECONDS);
  const steady = mixes[options.seed % mixes.length];
  if (steady !== undefined) teach(steady, options.steadySeconds);
  product.freeze('wattfeed-steady');
  product.restart();
  const random = new Random(options.seed + 1);
  // A machine that is judged by one mix has seen other loads before, as each machine has.
  const lessons = shape === HYBRID ? [...mixes, ...HYBRID_LESSONS] : mixes;
  for (let round = 0; round < 2; round++)
    for (const mix of shuffled(lessons, random)) teach(mix, options.trainSeconds);
  return Object.fromEntries(mixes.map((mix) => [mix.id, scoreMix(bench, mix, options, product)]));
};

/** Mixes of the same shape share a machine. */
export const runExperiment = (options: ExperimentOptions): ExperimentResult => {
  const shapes = [...new Set(options.mixes.map(({ shape }) => shape))];
  const scores = shapes.flatMap((shape) =>
    Object.entries(
      runShape(
        options,
        shape,
        options.mixes.filter((mix) => mix.shape === shape),
      ),
    ),
  );
  return { seed: options.seed, mixes: Object.fromEntries(scores) };
};
