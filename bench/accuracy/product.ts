// SPDX-License-Identifier: Apache-2.0
/** The agent's own path from a window to joules, as it runs in the agent, on simulated windows. */
import { createPipeline, type Pipeline } from '../../receiver/agent/pipeline.js';
import { DEFAULT_SETTINGS } from '../../receiver/attribution/attribute.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { UNNAMED } from '../../receiver/attribution/unnamed.js';
import type { EnergyPlan } from '../../receiver/energy/plan-types.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import type { SimulatedWindow } from './sim/simulator.js';

export interface Product {
  readonly name: string;
  /** It learns nothing while it runs: its split depends on the window alone. */
  readonly isFixed: boolean;
  /** Microjoules by owner (job index, interrupts last) of one window. */
  readonly advance: (
    window: ActivityWindow,
    simulated: SimulatedWindow,
  ) => { readonly cpu: Float64Array; readonly memory: Float64Array };
}

const productOf = (name: string, isFixed: boolean, pipeline: Pipeline): Product => {
  const ledger = new Ledger({ startUnixMillis: 0 }, UNNAMED);
  return {
    name,
    isFixed,
    advance: (window, simulated) => {
      const { attribution } = pipeline.advance(window, ledger);
      const owners = simulated.load.jobs.length;
      const cpu = new Float64Array(owners + 1);
      const memory = new Float64Array(owners + 1);
      simulated.rows.forEach(({ thread }, row) => {
        const owner = thread.job.index;
        cpu[owner] = (cpu[owner] ?? 0) + (attribution.shares.tasks.package[row] ?? 0);
        memory[owner] = (memory[owner] ?? 0) + (attribution.shares.tasks.dram[row] ?? 0);
      });
      for (const { domain, irqMicrojoules } of attribution.balances) {
        const side = domain.kind === 'dram' ? memory : cpu;
        side[owners] = (side[owners] ?? 0) + Number(irqMicrojoules);
      }
      if (attribution.inconsistencies.length > 0)
        throw new Error(
          `attribution does not close: ${attribution.inconsistencies[0]?.detail ?? ''}`,
        );
      return { cpu, memory };
    },
  };
};

/** The variants of wattfeed that the table compares. */
export const products = (plan: EnergyPlan, topology: HostTopology): readonly Product[] => [
  productOf(
    'wattfeed-time',
    true,
    createPipeline({
      plan,
      topology,
      idleWatts: undefined,
      settings: { ...DEFAULT_SETTINGS, model: 'time' },
    }),
  ),
  productOf('wattfeed-priors', true, createPipeline({ plan, topology, idleWatts: undefined })),
  productOf(
    'wattfeed-calibrated',
    false,
    createPipeline({ plan, topology, idleWatts: undefined, isCalibrating: true }),
  ),
];
