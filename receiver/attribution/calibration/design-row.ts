// SPDX-License-Identifier: Apache-2.0
/**
 * One package's window as a row of the regression: what its features sum to, beside the joules that
 * its counter said.
 *
 *   x = per core type [ΣφC, ΣφI, ΣφX, Σt], then ΣL, T_on, W       y = E
 *
 * in units (10⁹ cycles, 10⁹ lines, seconds) in which the coefficients of the model are the unknowns and
 * y is in joules.
 */
import type { ActivityWindow } from '../../model/activity.js';
import {
  DEFAULT_COEFFICIENTS,
  defaultCoefficients,
  type Coefficients,
} from '../../model/coefficients.js';
import type { HostTopology } from '../../model/host-topology.js';
import {
  addFeatures,
  domainFeatures,
  domainRates,
  emptyRow,
  rowFeatures,
  type RowFeatures,
  type WindowFeatures,
} from '../row-terms.js';

/** Unknowns of one core type: a, b, v, l. */
export const PER_CORE_TYPE = 4;
/** Unknowns of the package: u, P_on, P_idle. */
const PER_PACKAGE = 3;
const GIGA = 1e9;

/** Which unknowns a package has, and where. */
export interface DesignShape {
  readonly packageId: number;
  readonly coreTypes: readonly string[];
  readonly size: number;
  readonly missAt: number;
  readonly onAt: number;
  readonly idleAt: number;
}

export const designShape = (topology: HostTopology, packageId: number): DesignShape => {
  const own = topology.cpuDomains.filter((domain) => domain.packageId === packageId);
  const coreTypes = [...new Set(own.map(({ coreType }) => coreType))];
  const missAt = coreTypes.length * PER_CORE_TYPE;
  return {
    packageId,
    coreTypes,
    size: missAt + PER_PACKAGE,
    missAt,
    onAt: missAt + 1,
    idleAt: missAt + 2,
  };
};

/** The defaults as unknowns; idle power is not among them and stays 0. */
export const priorsOf = (
  shape: DesignShape,
  priorFor: (coreType: string) => Coefficients = defaultCoefficients,
): Float64Array => {
  const theta = new Float64Array(shape.size);
  shape.coreTypes.forEach((coreType, type) => {
    const by = priorFor(coreType);
    const { cycleNanojoules, instructionNanojoules, vectorNanojoules, coreWatts } = by;
    theta.set(
      [cycleNanojoules, instructionNanojoules, vectorNanojoules, coreWatts],
      type * PER_CORE_TYPE,
    );
  });
  const first = priorFor(shape.coreTypes[0] ?? 'cpu');
  theta[shape.missAt] = first.llcMissNanojoules;
  theta[shape.onAt] = first.packageOnWatts;
  return theta;
};

export const coefficientsOfTheta = (
  theta: Float64Array,
  shape: DesignShape,
  coreType: string,
): Coefficients => {
  const type = Math.max(0, shape.coreTypes.indexOf(coreType));
  const at = (offset: number): number | undefined => theta[type * PER_CORE_TYPE + offset];
  const missing = DEFAULT_COEFFICIENTS;
  return {
    cycleNanojoules: at(0) ?? missing.cycleNanojoules,
    instructionNanojoules: at(1) ?? missing.instructionNanojoules,
    vectorNanojoules: at(2) ?? missing.vectorNanojoules,
    coreWatts: at(3) ?? missing.coreWatts,
    llcMissNanojoules: theta[shape.missAt] ?? missing.llcMissNanojoules,
    packageOnWatts: theta[shape.onAt] ?? missing.packageOnWatts,
  };
};

export interface DesignRow {
  readonly x: Float64Array;
  readonly spanSeconds: number;
  /** Part of the package's task time that was counted, 0..1. */
  readonly countedShare: number;
}

/** As the attribution sums them up on its way. */
export const windowFeatures = (window: ActivityWindow): WindowFeatures => {
  const domains = domainFeatures(window);
  const sums = new Map<number, RowFeatures>();
  const row = emptyRow();
  const rates = new Map([...domains].map(([index, domain]) => [index, domainRates(domain)]));
  for (const task of window.tasks) {
    const rate = rates.get(task.cpuDomain);
    if (rate === undefined) continue;
    rowFeatures(task, rate, row);
    const sum = sums.get(task.cpuDomain) ?? emptyRow();
    addFeatures(sum, row);
    sums.set(task.cpuDomain, sum);
  }
  return { domains, rows: sums };
};

const add = (x: Float64Array, at: number, value: number): void => {
  x[at] = (x[at] ?? 0) + value;
};

/** Interrupts and tasks without a row drew power too: as much per time as the others. */
const restFactor = (cpus: RestTime): number =>
  cpus.runtimeNanos > 0 ? 1 + cpus.restNanos / cpus.runtimeNanos : 1;

interface RestTime {
  runtimeNanos: number;
  uncountedNanos: number;
  restNanos: number;
}

/** Rows of all packages, in the order of `shapes`. */
export const designRows = (
  window: ActivityWindow,
  topology: HostTopology,
  shapes: readonly DesignShape[],
  { domains, rows }: WindowFeatures = windowFeatures(window),
): readonly DesignRow[] => {
  const spanSeconds = Number(window.endNanos - window.startNanos) / GIGA;
  return shapes.map((shape) => {
    const x = new Float64Array(shape.size);
    const times: RestTime = { runtimeNanos: 0, uncountedNanos: 0, restNanos: 0 };
    x[shape.idleAt] = spanSeconds;
    for (const { index, packageId, coreType } of topology.cpuDomains) {
      const [domain, row] = [domains.get(index), rows.get(index)];
      if (packageId !== shape.packageId || domain === undefined || row === undefined) continue;
      const { runtimeNanos, uncountedNanos } = domain;
      const restNanos = domain.irqNanos + domain.unslottedNanos + domain.overflowNanos;
      times.runtimeNanos += runtimeNanos;
      times.uncountedNanos += Math.min(runtimeNanos, uncountedNanos);
      const factor = restFactor({ runtimeNanos, uncountedNanos, restNanos }) / GIGA;
      const typeAt = shape.coreTypes.indexOf(coreType) * PER_CORE_TYPE;
      add(x, typeAt, row.phiCycles * factor);
      add(x, typeAt + 1, row.phiInstructions * factor);
      add(x, typeAt + 2, row.phiVector * factor);
      add(x, typeAt + 3, row.coreNanos * factor);
      add(x, shape.missAt, row.llcMisses * factor);
      add(x, shape.onAt, row.packageOnNanos / GIGA);
    }
    x[shape.onAt] = Math.min(spanSeconds, x[shape.onAt] ?? 0);
    const { runtimeNanos, uncountedNanos } = times;
    const countedShare = runtimeNanos > 0 ? (runtimeNanos - uncountedNanos) / runtimeNanos : 0;
    return { x, spanSeconds, countedShare };
  });
};
