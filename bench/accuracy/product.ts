// SPDX-License-Identifier: Apache-2.0
/**
 * The agent's own path from a window to joules, as it runs in the agent, on simulated windows: its reader
 * of counters, its idle floors, its attribution and its calibration; only the windows come from elsewhere.
 */
import {
  createPipeline,
  type Pipeline,
  type PipelineOptions,
  type Surroundings,
} from '../../receiver/agent/pipeline.js';
import { DEFAULT_SETTINGS, type WindowAttribution } from '../../receiver/attribution/attribute.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { UNNAMED } from '../../receiver/attribution/unnamed.js';
import type { EnergyPlan } from '../../receiver/energy/plan-types.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import { defaultCoefficients, type Coefficients } from '../../receiver/model/coefficients.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import type { SimulatedWindow } from './sim/simulator.js';
import { withoutCounters } from './sim/to-window.js';

export interface OwnSplit {
  /** Microjoules by owner (job index, interrupts last). */
  readonly cpu: Float64Array;
  readonly memory: Float64Array;
}

/** Deliberately wrong in ratio: half a cycle, twice an instruction, twice an awake package. */
const wrongPriors = (coreType: string): Coefficients => {
  const right = defaultCoefficients(coreType);
  return {
    ...right,
    cycleNanojoules: right.cycleNanojoules / 2,
    instructionNanojoules: right.instructionNanojoules * 2,
    packageOnWatts: right.packageOnWatts * 2,
  };
};

/** memory.numa_stat of the cgroups whose memory lies elsewhere than where they run. */
export const surroundingsOf = ({ load }: SimulatedWindow, nodeCount: number): Surroundings => ({
  memory: {
    nodeSharesOfCgroup: new Map(
      load.jobs.flatMap(({ cgroupId, homeNode }) =>
        homeNode === undefined
          ? []
          : [
              [
                cgroupId,
                Array.from({ length: nodeCount }, (_, node) => (node === homeNode ? 1 : 0)),
              ],
            ],
      ),
    ),
    residentBytesOfProcess: new Map(),
  },
});

const ownersOf = (attribution: WindowAttribution, simulated: SimulatedWindow): OwnSplit => {
  const owners = simulated.load.jobs.length;
  const [cpu, memory] = [new Float64Array(owners + 1), new Float64Array(owners + 1)];
  simulated.rows.forEach(({ thread }, row) => {
    const owner = thread.job.index;
    cpu[owner] = (cpu[owner] ?? 0) + (attribution.shares.tasks.package[row] ?? 0);
    memory[owner] = (memory[owner] ?? 0) + (attribution.shares.tasks.dram[row] ?? 0);
  });
  for (const { domain, irqMicrojoules } of attribution.balances) {
    const side = domain.kind === 'dram' ? memory : cpu;
    side[owners] = (side[owners] ?? 0) + Number(irqMicrojoules);
  }
  const [defect] = attribution.inconsistencies;
  if (defect !== undefined) throw new Error(`attribution does not close: ${defect.detail}`);
  return { cpu, memory };
};

/** One way in which the agent may be set up. */
class Variant {
  public readonly pipeline: Pipeline;
  private readonly ledger = new Ledger({ startUnixMillis: 0 }, UNNAMED);

  public constructor(
    public readonly name: string,
    options: PipelineOptions,
    /** What this one sees of a window. */
    private readonly see: (window: ActivityWindow, simulated: SimulatedWindow) => ActivityWindow = (
      window,
    ) => window,
  ) {
    this.pipeline = createPipeline(options);
  }

  public advance(
    window: ActivityWindow,
    simulated: SimulatedWindow,
    surroundings: Surroundings,
  ): OwnSplit {
    const { attribution } = this.pipeline.advance(
      this.see(window, simulated),
      this.ledger,
      surroundings,
    );
    return ownersOf(attribution, simulated);
  }
}

/** The variants of wattfeed that the tables compare. */
export class Product {
  private readonly variants: Variant[];
  private readonly base: PipelineOptions;

  public constructor(plan: EnergyPlan, topology: HostTopology) {
    this.base = { plan, topology, idleWatts: undefined };
    const { base } = this;
    const isCalibrating = true;
    const priorFor = wrongPriors;
    this.variants = [
      new Variant('wattfeed-time', base, withoutCounters),
      new Variant('wattfeed-seed', { ...base, settings: { ...DEFAULT_SETTINGS, model: 'seed' } }),
      new Variant('wattfeed-priors', base),
      new Variant('wattfeed-calibrated', { ...base, isCalibrating }),
      new Variant('wattfeed-wrong-priors', { ...base, priorFor }),
      new Variant('wattfeed-wrong-calibrated', { ...base, priorFor, isCalibrating }),
    ];
  }

  /** By variant. */
  public advance(
    window: ActivityWindow,
    simulated: SimulatedWindow,
  ): ReadonlyMap<string, OwnSplit> {
    const surroundings = surroundingsOf(simulated, this.base.topology.packageIds.length);
    return new Map(
      this.variants.map((variant) => [
        variant.name,
        variant.advance(window, simulated, surroundings),
      ]),
    );
  }

  /** Adds a variant that keeps what the calibrated one has learnt so far, and learns no more. */
  public freeze(name: string): void {
    const taught = this.variants.find((variant) => variant.name === 'wattfeed-calibrated');
    const frozen = new Variant(name, this.base);
    if (taught !== undefined) frozen.pipeline.restore(taught.pipeline.state());
    this.variants.push(frozen);
  }

  /** Forgets what was learnt: the calibrated variants begin again from what they knew. */
  public restart(): void {
    const { base } = this;
    this.replace('wattfeed-calibrated', { ...base, isCalibrating: true });
    this.replace('wattfeed-wrong-calibrated', {
      ...base,
      priorFor: wrongPriors,
      isCalibrating: true,
    });
  }

  private replace(name: string, options: PipelineOptions): void {
    const at = this.variants.findIndex((variant) => variant.name === name);
    const former = this.variants[at];
    if (former === undefined) return;
    const fresh = new Variant(name, options);
    const { counters, floors } = former.pipeline.state();
    fresh.pipeline.restore({ counters, floors });
    this.variants[at] = fresh;
  }
}
