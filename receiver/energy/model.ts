// SPDX-License-Identifier: Apache-2.0
/**
 * Power of a machine without any meter: P = P_idle + (P_max - P_idle) * u^gamma, u = busy ratio of its
 * CPUs. A curve that nobody set is a guess from a table, and labelled so wherever it is shown.
 */
import type { CpuModel } from '../host/cpu-model.js';
import {
  MICROWATTS_PER_WATT,
  NANOS_PER_SECOND,
  microjoules,
  type Microjoules,
} from '../model/units.js';
import { architectureOf } from './model-table.js';

/** Of one package. */
export interface ModelCurve {
  readonly idleWatts: number;
  readonly maxWatts: number;
  readonly gamma: number;
}

/** Of the whole host, and why these numbers. */
export interface ModelParameters extends ModelCurve {
  readonly isGuess: boolean;
  /** For people: where the numbers come from. */
  readonly basis: string;
}

export interface ModelConfig {
  readonly model?: ModelCurve | undefined;
  readonly tdpWatts?: number | undefined;
}

/**
 * What nobody set is guessed per logical CPU: the means over the table's generations from Broadwell on
 * (0.71 and 3.26 W; see model-table.ts for the source).
 */
const FALLBACK_IDLE_WATTS_PER_CPU = 0.7;
const FALLBACK_MAX_WATTS_PER_CPU = 3.3;

/** Configuration first, then the table by CPU model, then the mean of the table. `cpuCount`: online logical CPUs. */
export const resolveModel = (
  config: ModelConfig,
  cpuModel: CpuModel,
  cpuCount: number,
): ModelParameters => {
  if (config.model !== undefined)
    return { ...config.model, isGuess: false, basis: 'energy.model in the configuration' };
  if (config.tdpWatts !== undefined)
    // A flat rate: TDP when every CPU is busy, in proportion below, nothing for idle CPUs.
    return {
      idleWatts: 0,
      maxWatts: config.tdpWatts,
      gamma: 1,
      isGuess: false,
      basis: `flat tdp_watts ${String(config.tdpWatts)} W, in proportion to busy CPUs`,
    };
  const known = architectureOf(cpuModel);
  const perCpu = known ?? {
    idleWatts: FALLBACK_IDLE_WATTS_PER_CPU,
    maxWatts: FALLBACK_MAX_WATTS_PER_CPU,
  };
  const basis =
    known === undefined
      ? `guess for an unknown CPU`
      : `guess from ${known.name} servers in SPECpower (whole server, per hardware thread)`;
  return {
    idleWatts: perCpu.idleWatts * cpuCount,
    maxWatts: perCpu.maxWatts * cpuCount,
    gamma: 1,
    isGuess: true,
    basis,
  };
};

/** One package's part of the host's curve. */
export const curveOfPackage = (host: ModelCurve, shareRatio: number): ModelCurve => ({
  idleWatts: host.idleWatts * shareRatio,
  maxWatts: host.maxWatts * shareRatio,
  gamma: host.gamma,
});

/** `busyRatio` outside [0, 1] (clock jitter) is clamped. */
export const modelWatts = (curve: ModelCurve, busyRatio: number): number =>
  curve.idleWatts +
  (curve.maxWatts - curve.idleWatts) * Math.min(1, Math.max(0, busyRatio)) ** curve.gamma;

/** Energy of a span at constant power; `remainder` (in nJ-fractions, 1/10^9 uJ) is carried so that nothing is lost. */
export const modelEnergy = (
  powerWatts: number,
  spanNanos: bigint,
  remainder: bigint,
): { readonly energyMicrojoules: Microjoules; readonly remainder: bigint } => {
  const scaled = BigInt(Math.round(powerWatts * MICROWATTS_PER_WATT)) * spanNanos + remainder;
  const second = BigInt(NANOS_PER_SECOND);
  return { energyMicrojoules: microjoules(scaled / second), remainder: scaled % second };
};
