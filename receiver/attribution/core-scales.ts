// SPDX-License-Identifier: Apache-2.0
/**
 * Where each core has an energy counter of its own (AMD's power_core), that counter says how far the
 * prediction for this core is off: other code, other silicon. The ratio, smoothed over some windows,
 * scales what the kernel predicts for each slice on the core, so that a core's energy goes to those who
 * ran on it.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { HostTopology } from '../model/host-topology.js';
import { energyOf, MICROJOULES_PER_JOULE } from '../model/units.js';
import type { Watts } from '../model/units.js';
import type { DomainReading } from '../model/window.js';

/** What one window leaves of those before it: about ten count. */
const KEPT_RATIO = 0.9;
/** A prediction is never off by more; beyond it something else is. */
const LEAST_SCALE = 0.1;
const MOST_SCALE = 10;
const NANOJOULES_PER_JOULE = 1e9;

interface CoreSums {
  measuredJoules: number;
  predictedJoules: number;
}

const coreKey = (packageId: number, coreId: number): string =>
  `${String(packageId)}/${String(coreId)}`;

export class CoreScales {
  private readonly sums = new Map<string, CoreSums>();
  private readonly keyOfCpu: readonly string[];

  public constructor({ cpus }: HostTopology) {
    const keys: string[] = [];
    for (const { cpu, packageId, coreId } of cpus) keys[cpu] = coreKey(packageId, coreId);
    this.keyOfCpu = Array.from(keys, (key: string | undefined) => key ?? '');
  }

  /** Takes one window in; false where no core has a counter. */
  public learn(
    { cpus }: ActivityWindow,
    readings: readonly DomainReading[],
    floors: ReadonlyMap<string, Watts | undefined>,
  ): boolean {
    const predicted = new Map<string, number>();
    for (const { cpu, predictedCoreNanojoules } of cpus) {
      const key = this.keyOfCpu[cpu] ?? '';
      const joules = predictedCoreNanojoules / NANOJOULES_PER_JOULE;
      predicted.set(key, (predicted.get(key) ?? 0) + joules);
    }
    let seen = 0;
    for (const { domain, step } of readings) {
      const { coreId, packageId, kind } = domain;
      if (kind !== 'core' || coreId === undefined || packageId === undefined) continue;
      if (step._tag !== 'Advanced') continue;
      seen += 1;
      const floor = floors.get(domain.id);
      const idle = floor === undefined ? 0n : energyOf(floor, step.spanNanos);
      const active = Number(step.deltaMicrojoules - idle) / MICROJOULES_PER_JOULE;
      this.add(coreKey(packageId, coreId), Math.max(0, active), predicted);
    }
    return seen > 0;
  }

  /** Index = CPU; 1 where nothing is known. */
  public byCpu(): readonly number[] {
    return this.keyOfCpu.map((key) => {
      const sums = this.sums.get(key);
      if (sums === undefined || !(sums.predictedJoules > 0)) return 1;
      const scale = sums.measuredJoules / sums.predictedJoules;
      return Math.min(MOST_SCALE, Math.max(LEAST_SCALE, scale));
    });
  }

  private add(key: string, measured: number, predicted: ReadonlyMap<string, number>): void {
    const expected = predicted.get(key) ?? 0;
    // A core that slept says nothing of what its work costs.
    if (!(expected > 0)) return;
    const sums = this.sums.get(key) ?? { measuredJoules: 0, predictedJoules: 0 };
    sums.measuredJoules = sums.measuredJoules * KEPT_RATIO + measured;
    sums.predictedJoules = sums.predictedJoules * KEPT_RATIO + expected;
    this.sums.set(key, sums);
  }
}
