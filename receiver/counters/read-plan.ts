// SPDX-License-Identifier: Apache-2.0
/** This machine's core PMUs, planned as the configuration wants them. */
import { readCpuFlags, type CpuModel } from '../host/cpu-model.js';
import type { HostRoots } from '../host/roots.js';
import type { CounterSelection } from '../model/counter-selection.js';
import type { HostTopology } from '../model/host-topology.js';
import { readCorePmus } from './core-pmu.js';
import { planCounters, type CounterPlan } from './plan.js';

export const readCounterPlan = (
  roots: HostRoots,
  facts: { readonly cpuModel: CpuModel; readonly host: { readonly topology: HostTopology } },
  selection: CounterSelection,
): CounterPlan =>
  planCounters(
    readCorePmus(roots.sysfs),
    { model: facts.cpuModel, flags: readCpuFlags(roots) },
    facts.host.topology,
    selection,
  );
