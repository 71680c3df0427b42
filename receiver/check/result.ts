// SPDX-License-Identifier: Apache-2.0
/**
 * What `wattfeed check` says. JSON-safe and stable: `schema` rises when a field changes its meaning,
 * fields are only ever added.
 */
import type { EnergyOrigin } from '../model/energy-domain.js';

export const CHECK_SCHEMA = 1;

/** blocking: `run` cannot work; limited: it works with less; note: good to know. */
export type FindingLevel = 'blocking' | 'limited' | 'note';

export interface Finding {
  /** Stable, for scripts: `energy-modelled`, `source-dead`, … */
  readonly id: string;
  readonly level: FindingLevel;
  /** What is the case, e.g. `no core PMU`. */
  readonly what: string;
  /** What it means for the numbers. */
  readonly meaning: string;
  /** What to do; empty where nothing can or need be done. */
  readonly remedy: string;
}

export interface CheckDomain {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly packageId: number | null;
  readonly parentId: string | null;
  readonly source: string;
  readonly origin: EnergyOrigin;
  /** What the probe saw: `142 W`, `resting at 0`. */
  readonly evidence: string;
}

export interface CheckDropped {
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly detail: string;
}

export interface CheckResult {
  readonly schema: typeof CHECK_SCHEMA;
  /** 0: this machine can be measured, if need be with a model; 1: it cannot. */
  readonly exitCode: 0 | 1;
  readonly host: {
    readonly cpu: string;
    readonly onlineCpus: number;
    readonly packages: number;
    readonly nodes: number;
    readonly hasSmt: boolean;
    /** `cpu` alone on uniform machines. */
    readonly coreTypes: readonly string[];
    readonly hypervisor: string | null;
    readonly kernelRelease: string;
  };
  readonly energy: {
    readonly label: string;
    readonly origin: EnergyOrigin;
    readonly isGuess: boolean;
    readonly attributed: readonly CheckDomain[];
    readonly breakdown: readonly CheckDomain[];
    readonly meters: readonly CheckDomain[];
    readonly dropped: readonly CheckDropped[];
    readonly model: {
      readonly idleWatts: number;
      readonly maxWatts: number;
      readonly gamma: number;
      readonly basis: string;
    } | null;
    readonly longestWindowMillis: number | null;
  };
  readonly kernelFeatures: readonly {
    readonly name: string;
    readonly isAvailable: boolean;
    /** False: not available to this process, which says nothing about the kernel. */
    readonly isProbed: boolean;
    readonly detail: string;
  }[];
  readonly security: {
    readonly capabilities: readonly string[] | null;
    readonly perfEventParanoid: number | null;
    readonly lockdown: string | null;
    readonly isInitialPidNamespace: boolean | null;
  };
  readonly corePmus: readonly string[];
  /** Hardware counters by core PMU, each event opened once. */
  readonly counters: readonly {
    readonly pmu: string;
    readonly cpuCount: number;
    readonly events: readonly {
      readonly kind: string;
      readonly label: string;
      /** errno's name; null: it counts. */
      readonly error: string | null;
    }[];
    readonly missing: readonly string[];
  }[];
  readonly cgroup: {
    readonly layout: string;
    readonly hierarchy: string;
    readonly directory: string;
    readonly reason: string;
  };
  readonly slots: {
    readonly count: number;
    readonly bytesEach: number;
    readonly mebibytes: number;
  };
  /** Blocking first. */
  readonly findings: readonly Finding[];
}
