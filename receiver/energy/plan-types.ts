// SPDX-License-Identifier: Apache-2.0
/** What the plan decides from and what it decides. */
import type { EnergySourceSpec } from '../activity/port.js';
import type { Complaint } from '../model/errors.js';
import type { EnergyDomain, EnergySourceKind } from '../model/energy-domain.js';
import type { Candidates } from './candidates.js';
import type { EnergyFacts } from './facts.js';
import type { Liveness } from './liveness.js';
import type { DramModel, Measure } from './measure.js';
import type { ModelConfig, ModelParameters } from './model.js';

export interface EnergyConfig extends ModelConfig {
  /** `auto`, or only these and in this order. */
  readonly sources: 'auto' | readonly EnergySourceKind[];
  /** Predict the memory of packages that have no counter of it; default: it is absent. */
  readonly dramModel?: DramModel | undefined;
}

export interface PlanInput {
  readonly facts: EnergyFacts;
  readonly candidates: Candidates;
  readonly liveness: ReadonlyMap<string, Liveness>;
  readonly config: EnergyConfig;
}

export interface PlannedDomain {
  readonly domain: EnergyDomain;
  readonly measure: Measure;
  /** Raw readings it takes, in order; none for the model. */
  readonly specs: readonly EnergySourceSpec[];
  /** What the probe saw: `38.2 W`, `resting at 0`, `failed: permission (EACCES)`. */
  readonly evidence: string;
  /** The probe could not read it. It stays in the plan, fails by the window, and comes back by itself. */
  readonly isFailing: boolean;
}

export type DropReason =
  | 'duplicate'
  | 'contained'
  | 'mirror'
  | 'dead'
  | 'implausible'
  | 'unreadable'
  | 'unfit'
  | 'unknown'
  | 'foreign'
  | 'excluded';

export interface DroppedSource {
  readonly id: string;
  readonly name: string;
  readonly reason: DropReason;
  /** For people, with the id of what was taken instead. */
  readonly detail: string;
}

/** Something odd that does not keep the plan from working. */
export interface PlanNote extends Complaint {
  /** Stable, for scripts. */
  readonly id: 'domain-failing' | 'meter-contradicts' | 'packages-equal' | 'package-without-source';
  /** What it means for the numbers. */
  readonly meaning: string;
}

/** Attributed domains first, then breakdown, then whole-machine meters. */
export interface EnergyPlan {
  readonly domains: readonly PlannedDomain[];
  readonly dropped: readonly DroppedSource[];
  /** Set while a package has nothing better. */
  readonly model: ModelParameters | undefined;
  readonly notes: readonly PlanNote[];
  /** With longer windows a counter may wrap twice unseen; undefined: no counter of the plan wraps. */
  readonly longestWindowMillis: number | undefined;
}

/** For WindowOptions.sources: the readings come back in this order. */
export const sourceSpecs = (plan: EnergyPlan): readonly EnergySourceSpec[] =>
  plan.domains.flatMap(({ specs }) => specs);
