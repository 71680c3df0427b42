// SPDX-License-Identifier: Apache-2.0
/**
 * How far the kernel's predictions are off, by package and pool. A window's energy is split into what the cores drew
 * and the rest of the package wherever a counter tells the two apart, and each pool among its tasks; a prediction
 * knows the coefficients only. The ratio of both, smoothed over some windows, makes what is predicted for
 * a slice add up to what the slice is going to be billed:
 *
 *   scale = Σ E_active · (part that went to tasks) / Σ predicted at scale 1
 */
import type { ActivityWindow } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import { MICROJOULES_PER_JOULE } from '../model/units.js';
import type { DomainBalance } from '../model/window.js';
import { advancesOf, type Advance } from './advances.js';
import type { AttributionInput } from './attribute.js';

/** Factors on the coefficients of the cores and of the rest of the package. */
export interface PoolScale {
  readonly core: number;
  readonly shared: number;
}

/** What one window leaves of those before it: about five count. */
const KEPT_RATIO = 0.8;
/** A prediction is never off by more; beyond it something else is. */
const LEAST_SCALE = 0.1;
const MOST_SCALE = 10;
/** Less energy than this in a window says nothing. */
const LEAST_JOULES = 0.01;
const NANOJOULES_PER_JOULE = 1e9;
const EXACT: PoolScale = { core: 1, shared: 1 };

interface Pair {
  readonly core: number;
  readonly shared: number;
}

interface Sums {
  readonly measured: Pair;
  /** At scale 1. */
  readonly predicted: Pair;
}

const NOTHING: Pair = { core: 0, shared: 0 };

const kept = (before: Pair, now: Pair): Pair => ({
  core: before.core * KEPT_RATIO + now.core,
  shared: before.shared * KEPT_RATIO + now.shared,
});

const ratio = (measured: number, predicted: number, before: number): number =>
  measured > 0 && predicted > 0
    ? Math.min(MOST_SCALE, Math.max(LEAST_SCALE, measured / predicted))
    : before;

/** Of a domain's active energy: what did not go to interrupts and to tasks of nobody known. */
const partOfTasks = (activeMicrojoules: bigint, balance: DomainBalance | undefined): number => {
  if (balance === undefined) return 0;
  let others: bigint = balance.irqMicrojoules;
  for (const energy of balance.unattributed.values()) others = others + energy;
  return Math.max(0, 1 - Number(others) / Number(activeMicrojoules));
};

/** `core` undefined: no counter tells the cores apart. Joules. */
interface Measured {
  active: number;
  core: number | undefined;
}

const addAdvance = (
  sums: Map<number, Measured>,
  advance: Advance,
  balance: DomainBalance | undefined,
): void => {
  const { domain, kind, deltaMicrojoules, igpuMicrojoules, idleMicrojoules } = advance;
  const activeMicrojoules = deltaMicrojoules - igpuMicrojoules - idleMicrojoules;
  if (kind !== 'package' || activeMicrojoules <= 0n) return;
  const part = partOfTasks(activeMicrojoules, balance) / MICROJOULES_PER_JOULE;
  const packageId = domain.packageId ?? 0;
  const { coreMicrojoules } = advance;
  const core = coreMicrojoules === undefined ? undefined : Number(coreMicrojoules) * part;
  const before = sums.get(packageId) ?? { active: 0, core: 0 };
  sums.set(packageId, {
    active: before.active + Number(activeMicrojoules) * part,
    core: before.core === undefined || core === undefined ? undefined : before.core + core,
  });
};

export class PoolScales {
  readonly #packageOf: readonly number[];
  readonly #sums = new Map<number, Sums>();
  readonly #scales = new Map<number, PoolScale>();

  constructor({ cpuDomains }: HostTopology) {
    const packageOf: number[] = [];
    for (const { index, packageId } of cpuDomains) packageOf[index] = packageId;
    this.#packageOf = packageOf;
  }

  scaleOf(packageId: number): PoolScale {
    return this.#scales.get(packageId) ?? EXACT;
  }

  /** What the kernel side predicts with, by CPU domain. */
  scaled(coefficients: readonly Coefficients[]): readonly Coefficients[] {
    return coefficients.map((one, cpuDomain) => {
      const { core, shared } = this.scaleOf(this.#packageOf[cpuDomain] ?? 0);
      return {
        cycleNanojoules: one.cycleNanojoules * core,
        instructionNanojoules: one.instructionNanojoules * core,
        vectorNanojoules: one.vectorNanojoules * core,
        coreWatts: one.coreWatts * core,
        llcMissNanojoules: one.llcMissNanojoules * shared,
        packageOnWatts: one.packageOnWatts * shared,
      };
    });
  }

  /**
   * Takes in a window that was predicted with the scales as they are. `hasCoreScales`: each core has a counter and a
   * scale of its own already (see core-scales.ts), so that the cores' pool needs none.
   */
  learn(
    { window, readings, idleFloors, idleOwed, hasCoreScales }: AttributionInput,
    balances: readonly DomainBalance[],
  ): void {
    const measured = new Map<number, Measured>();
    const balanceById = new Map(balances.map((balance) => [balance.domain.id, balance]));
    for (const advance of advancesOf(readings, idleFloors, idleOwed ?? new Map()))
      addAdvance(measured, advance, balanceById.get(advance.domain.id));
    for (const [packageId, predicted] of this.#predicted(window)) {
      const own = measured.get(packageId);
      if (own === undefined || own.active < LEAST_JOULES) continue;
      if (predicted.core + predicted.shared < LEAST_JOULES) continue;
      this.#take(packageId, own, predicted, hasCoreScales === true);
    }
  }

  /** By package, at scale 1, joules. */
  #predicted({ tasks }: ActivityWindow): ReadonlyMap<number, Pair> {
    const sums = new Map<number, { core: number; shared: number }>();
    for (const { cpuDomain, predictedCoreNanojoules, predictedNanojoules } of tasks) {
      const packageId = this.#packageOf[cpuDomain] ?? 0;
      const sum = sums.get(packageId) ?? { core: 0, shared: 0 };
      sum.core += predictedCoreNanojoules;
      sum.shared += Math.max(0, predictedNanojoules - predictedCoreNanojoules);
      sums.set(packageId, sum);
    }
    return new Map(
      [...sums].map(([packageId, { core, shared }]) => {
        const scale = this.scaleOf(packageId);
        return [
          packageId,
          {
            core: core / NANOJOULES_PER_JOULE / scale.core,
            shared: shared / NANOJOULES_PER_JOULE / scale.shared,
          },
        ] as const;
      }),
    );
  }

  #take(packageId: number, { active, core }: Measured, seen: Pair, hasCoreScales: boolean): void {
    const before = this.#sums.get(packageId) ?? { measured: NOTHING, predicted: NOTHING };
    // with one counter for both pools they have one ratio
    const whole = active / (seen.core + seen.shared);
    const measured =
      core === undefined
        ? { core: seen.core * whole, shared: seen.shared * whole }
        : { core, shared: Math.max(0, active - core) };
    const sums = {
      measured: kept(before.measured, measured),
      predicted: kept(before.predicted, seen),
    };
    this.#sums.set(packageId, sums);
    const scale = this.scaleOf(packageId);
    this.#scales.set(packageId, {
      core: hasCoreScales ? 1 : ratio(sums.measured.core, sums.predicted.core, scale.core),
      shared: ratio(sums.measured.shared, sums.predicted.shared, scale.shared),
    });
  }
}
