// SPDX-License-Identifier: Apache-2.0
/**
 * Every OpenTelemetry instrument, in one table; docs/metrics.md is generated from it. Names carry no
 * unit and no `total`: the unit field does. Semantic conventions first, then the prefix `wattfeed`.
 */
import type { AttributeKey } from './attributes.js';
import { ENERGY_INSTRUMENTS } from './energy-instruments.js';
import { SELF_INSTRUMENTS } from './self-instruments.js';
import { WORKLOAD_INSTRUMENTS } from './workload-instruments.js';

/** `counter`: monotonic sum. `updowncounter`: sum that may fall. `gauge`: last value. */
export type InstrumentKind = 'counter' | 'updowncounter' | 'gauge';

/**
 * `development`: a semantic convention that may still be renamed upstream. `beta`: ours, renamed only with
 * a *Breaking* entry in the change log. `alpha`: ours, about the agent itself, may change.
 */
export type Stability = 'development' | 'beta' | 'alpha';

export interface Instrument {
  readonly name: string;
  /** UCUM: `J`, `W`, `s`, `By`, `1`, or a count in braces. */
  readonly unit: string;
  readonly kind: InstrumentKind;
  readonly stability: Stability;
  readonly description: string;
  /** In the order of the documentation; optional ones are said in the description. */
  readonly attributes: readonly AttributeKey[];
  /** Exported only when asked for. */
  readonly isOptIn?: boolean;
}

export const INSTRUMENTS = { ...ENERGY_INSTRUMENTS, ...WORKLOAD_INSTRUMENTS, ...SELF_INSTRUMENTS };

export type InstrumentKey = keyof typeof INSTRUMENTS;

/** Name and schema of the one instrumentation scope that all data points belong to. */
export const SCOPE_NAME = 'wattfeed';
/** The release of the semantic conventions whose names are used. */
export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.44.0';
