// SPDX-License-Identifier: Apache-2.0
/** `wattfeed check`: reads this machine and diagnoses it. Leaves nothing loaded, pinned or attached. */
import type { ActivityPort } from '../activity/port.js';
import { probeCounters } from '../counters/probe.js';
import { readCounterPlan } from '../counters/read-plan.js';
import type { EnergyConfig } from '../energy/plan-types.js';
import { prepareEnergy } from '../energy/prepare.js';
import type { ProbePorts } from '../energy/probe.js';
import type { HostRoots } from '../host/roots.js';
import type { CounterSelection } from '../model/counter-selection.js';
import type { SlotTable } from '../model/slot-table.js';
import { diagnose } from './diagnose.js';
import { readCheckEnvironment } from './environment.js';
import type { CheckResult } from './result.js';

export interface CheckRequest {
  readonly roots: HostRoots;
  readonly energy: EnergyConfig & { readonly maxPlausibleWatts?: number | undefined };
  readonly slots: SlotTable;
  readonly windowMillis: number;
  readonly counters: CounterSelection;
}

/** `port`: undefined where the addon could not be loaded; the check says so and goes on. */
export const checkMachine = async (
  { roots, energy, slots, windowMillis, counters }: CheckRequest,
  port: Pick<ActivityPort, 'probeFeatures' | 'probePerf'> | undefined,
  ports: Omit<ProbePorts, 'probePerf'>,
): Promise<CheckResult> => {
  const probePerf: ProbePorts['probePerf'] =
    port === undefined ? undefined : (spec, millis) => port.probePerf(spec, millis);
  const { facts, plan } = await prepareEnergy(roots, energy, { ...ports, probePerf });
  return diagnose({
    facts,
    plan,
    kernelFeatures: port?.probeFeatures() ?? [],
    environment: readCheckEnvironment(roots),
    counters:
      probePerf === undefined
        ? []
        : probeCounters(readCounterPlan(roots, facts, counters), facts.host.topology, probePerf),
    slots,
    windowMillis,
  });
};
