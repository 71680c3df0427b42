// SPDX-License-Identifier: Apache-2.0
/**
 * What one event costs inside a CPU package: the weights of the energy model. Only their ratios
 * matter for shares; as joules they are a prediction that calibration brings near the truth.
 */
export interface Coefficients {
  /** a: one core cycle at the reference frequency. */
  readonly cycleNanojoules: number;
  /** b: one retired instruction. */
  readonly instructionNanojoules: number;
  /** v: one vector operation, beyond its instruction. */
  readonly vectorNanojoules: number;
  /** u: one line fetched past the last-level cache: memory controller and mesh, not the DRAM. */
  readonly llcMissNanojoules: number;
  /** l: leakage and clock of a core that is awake. */
  readonly coreWatts: number;
  /** P_on: what the package draws more than when idle as soon as any CPU is awake. */
  readonly packageOnWatts: number;
}

/**
 * Server x86. a: c0 of about 0.65 nF at 0.92 V. b: IPC 2 costs about 1.2 x the base, as published
 * SMT ratios of 1.14-1.22 ask for. v: 256 bit, AVX2 about 1.6 x the core power. u: memory controller
 * and mesh. l: leakage in C0. P_on: package power with one light CPU less idle power.
 */
export const DEFAULT_COEFFICIENTS: Coefficients = {
  cycleNanojoules: 0.6,
  instructionNanojoules: 0.35,
  vectorNanojoules: 0.6,
  llcMissNanojoules: 4,
  coreWatts: 0.5,
  packageOnWatts: 6,
};

/** A small core's energy per cycle and instruction beside a big one's. */
const SMALL_CORE_RATIO = 0.35;
const SMALL_CORES: ReadonlySet<string> = new Set(['atom', 'lowpower']);

/** The defaults for a core type of the topology (`cpu`, `core`, `atom`, ...). */
export const defaultCoefficients = (coreType: string): Coefficients => {
  if (!SMALL_CORES.has(coreType)) return DEFAULT_COEFFICIENTS;
  const { cycleNanojoules, instructionNanojoules, vectorNanojoules, coreWatts } =
    DEFAULT_COEFFICIENTS;
  return {
    ...DEFAULT_COEFFICIENTS,
    cycleNanojoules: cycleNanojoules * SMALL_CORE_RATIO,
    instructionNanojoules: instructionNanojoules * SMALL_CORE_RATIO,
    vectorNanojoules: vectorNanojoules * SMALL_CORE_RATIO,
    coreWatts: coreWatts * SMALL_CORE_RATIO,
  };
};
