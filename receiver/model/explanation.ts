// SPDX-License-Identifier: Apache-2.0
/**
 * How one process or cgroup came to its joules in one window: what `wattfeed explain` prints. JSON-safe:
 * exact energies are decimal strings of microjoules. Fields are only ever added.
 */
import type { AgentReport } from './agent-report.js';
import type { EnergyDomainKind, EnergyOrigin, SplitMethod } from './energy-domain.js';

export const EXPLANATION_SCHEMA = 1;

export type ExplainTarget = { readonly pid: number } | { readonly cgroup: string };

/** amount x coefficient = joules, before everything is scaled to what the counter said. */
export interface ExplainedTerm {
  /** `cycles`, `instructions`, … */
  readonly name: string;
  /** Core type it was counted on; empty on a uniform CPU and for terms of the package. */
  readonly coreType: string;
  readonly amount: number;
  readonly amountUnit: string;
  readonly coefficient: number;
  readonly coefficientUnit: string;
  readonly joules: number;
}

/** One pool of a domain: all of it, or the cores and the rest of a package apart. */
export interface ExplainedPool {
  readonly name: 'active' | 'cores' | 'rest of the package';
  readonly microjoules: string;
  readonly ownWeight: number;
  readonly allWeight: number;
  readonly weightUnit: string;
  /** ownWeight / allWeight. */
  readonly share: number;
}

export interface ExplainedDomain {
  readonly id: string;
  readonly kind: EnergyDomainKind;
  readonly name: string;
  readonly origin: EnergyOrigin;
  readonly split: SplitMethod;
  /** Of everybody's task time, 0..1. */
  readonly countedShare: number;
  readonly locatedShare: number | null;
  readonly spanSeconds: number;
  readonly deltaMicrojoules: string;
  readonly igpuMicrojoules: string;
  readonly idleFloorWatts: number | null;
  readonly idleMicrojoules: string;
  readonly terms: readonly ExplainedTerm[];
  readonly pools: readonly ExplainedPool[];
  /** What the target was given of it, idle by policy included. */
  readonly ownMicrojoules: string;
}

export interface ExplainedFeatures {
  readonly rows: number;
  readonly cpuSeconds: number;
  /** Part of it whose hardware counters were read, 0..1. */
  readonly countedRatio: number;
  readonly sharedCoreSeconds: number;
  readonly cycles: number;
  readonly instructions: number;
  readonly llcMisses: number;
  readonly vectorOps: number;
}

export interface ExplainedEntity {
  readonly kind: 'process' | 'cgroup';
  readonly pid: number | null;
  readonly name: string;
  readonly user: string | null;
  readonly cgroup: string;
  /** Since the agent started. */
  readonly packageJoules: number;
  readonly dramJoules: number;
  readonly cpuSeconds: number;
}

/** How the coefficients of one package came about. */
export interface ExplainedCalibration {
  readonly packageId: number;
  readonly label: 'prior' | 'calibrated' | 'modelled';
  readonly nrmse: number | null;
  readonly priorNrmse: number | null;
  readonly windows: number;
}

export interface Explanation {
  readonly schema: typeof EXPLANATION_SCHEMA;
  readonly window: AgentReport['window'];
  readonly entity: ExplainedEntity;
  readonly features: ExplainedFeatures;
  readonly domains: readonly ExplainedDomain[];
  readonly idlePolicy: string;
  readonly calibration: readonly ExplainedCalibration[];
}
