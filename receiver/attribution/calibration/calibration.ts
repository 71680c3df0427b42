// SPDX-License-Identifier: Apache-2.0
/**
 * The coefficients in use, for every CPU domain of the host: calibrated per package and core type
 * where a package's own counter is measured and the fit proved better, else the priors.
 */
import type { ActivityWindow, CpuSample } from '../../model/activity.js';
import type { Coefficients } from '../../model/coefficients.js';
import { defaultCoefficients } from '../../model/coefficients.js';
import type { HostTopology } from '../../model/host-topology.js';
import { MICROJOULES_PER_JOULE } from '../../model/units.js';
import type { Watts } from '../../model/units.js';
import type { DomainReading } from '../../model/window.js';
import { advancesOf, type Advance } from '../advances.js';
import type { WindowFeatures } from '../row-terms.js';
import { designRows, designShape } from './design-row.js';
import { PackageFit, type FitState, type SavedFit } from './package-fit.js';

export interface CalibrationOptions {
  /** False: the priors stay. */
  readonly isEnabled: boolean;
  /** Default: `defaultCoefficients`. */
  readonly priorFor?: ((coreType: string) => Coefficients) | undefined;
}

export interface CalibrationInput {
  readonly window: ActivityWindow;
  readonly readings: readonly DomainReading[];
  readonly idleFloors: ReadonlyMap<string, Watts | undefined>;
  /** As the attribution of this window summed them up; default: summed up here. */
  readonly features?: WindowFeatures | undefined;
}

/** How the coefficients of one package came about. `modelled`: its energy is no measurement to learn from. */
export type CalibrationLabel = FitState | 'modelled';

export interface PackageCalibration {
  readonly packageId: number;
  readonly label: CalibrationLabel;
  /** One-step-ahead error of the coefficients in use and of the priors; undefined while not known. */
  readonly nrmse: number | undefined;
  readonly priorNrmse: number | undefined;
  /** Windows learnt from. */
  readonly windows: number;
  readonly byCoreType: ReadonlyMap<string, Coefficients>;
}

const GIGA = 1e9;

export interface PredictedPackage {
  readonly joules: number;
  readonly lines: number;
  /** Hardware counters were read: no lines are no lines, and not unknown. */
  readonly isCounted: boolean;
}

const isCounting = (cpu: CpuSample): boolean => cpu.isCounting;

const wholePackages = (advances: readonly Advance[]): ReadonlyMap<number, Advance> =>
  new Map(
    advances
      .filter(({ domain }) => domain.kind === 'package')
      .flatMap((advance) =>
        advance.domain.packageId === undefined ? [] : [[advance.domain.packageId, advance]],
      ),
  );

export class Calibration {
  private readonly fits: readonly PackageFit[];
  private readonly measured = new Map<number, boolean>();
  private current: readonly Coefficients[];

  public constructor(
    private readonly topology: HostTopology,
    private readonly options: CalibrationOptions,
  ) {
    this.fits = topology.packageIds.map(
      (packageId) => new PackageFit(designShape(topology, packageId), options.priorFor),
    );
    this.current = this.compute();
  }

  /** By CPU domain. The same array until something changes. */
  public coefficients(): readonly Coefficients[] {
    return this.current;
  }

  /** Call once per window after it was attributed. Returns whether `coefficients()` changed. */
  public learn({ window, readings, idleFloors, features }: CalibrationInput): boolean {
    const packages = wholePackages(advancesOf(readings, idleFloors));
    for (const [packageId, { domain }] of packages)
      this.measured.set(packageId, domain.origin === 'measured');
    if (!this.options.isEnabled || packages.size === 0) return false;
    const shapes = this.fits.map(({ shape }) => shape);
    const rows = designRows(window, this.topology, shapes, features);
    let changedFits = 0;
    this.fits.forEach((fit, at) => {
      const advance = packages.get(fit.shape.packageId);
      const row = rows[at];
      if (row === undefined || advance?.domain.origin !== 'measured') return;
      const spanRatio = row.spanSeconds > 0 ? this.spanRatio(advance, row.spanSeconds) : 0;
      if (spanRatio === 0) return;
      const { deltaMicrojoules, igpuMicrojoules, coreMicrojoules, floorWatts } = advance;
      const joules = (energy: bigint): number =>
        (Number(energy) / MICROJOULES_PER_JOULE) * spanRatio;
      const isChanged = fit.learn({
        row,
        energyJoules: joules(deltaMicrojoules - igpuMicrojoules),
        idleWatts: floorWatts,
        coreJoules: coreMicrojoules === undefined ? undefined : joules(coreMicrojoules),
      });
      if (isChanged) changedFits += 1;
    });
    if (changedFits > 0) this.current = this.compute();
    return changedFits > 0;
  }

  /** What ran in the window should have drawn above idle, by package: its CPUs, and lines from memory. */
  public predict(window: ActivityWindow): ReadonlyMap<number, PredictedPackage> {
    const shapes = this.fits.map(({ shape }) => shape);
    const rows = designRows(window, this.topology, shapes);
    return new Map(
      this.fits.map((fit, at) => {
        const { missAt } = fit.shape;
        const x = rows[at]?.x;
        const lines = (x?.[missAt] ?? 0) * GIGA;
        const isCounted = (rows[at]?.countedShare ?? 0) > 0 && window.cpus.some(isCounting);
        const joules = x === undefined ? 0 : fit.predict(x);
        return [fit.shape.packageId, { joules, lines, isCounted }];
      }),
    );
  }

  public packages(): readonly PackageCalibration[] {
    return this.fits.map((fit) => ({
      packageId: fit.shape.packageId,
      label: this.measured.get(fit.shape.packageId) === false ? 'modelled' : fit.state,
      nrmse: fit.nrmse(),
      priorNrmse: fit.priorNrmse(),
      windows: fit.windows,
      byCoreType: new Map(
        fit.shape.coreTypes.map((coreType) => [coreType, fit.coefficients(coreType)]),
      ),
    }));
  }

  public save(): readonly SavedFit[] {
    return this.fits.map((fit) => fit.save());
  }

  /** Takes over the fits that still describe this machine; returns how many. */
  public restore(saved: readonly SavedFit[]): number {
    let restored = 0;
    for (const fit of this.fits) {
      const own = saved.find(({ packageId }) => packageId === fit.shape.packageId);
      if (own !== undefined && fit.restore(own)) restored += 1;
    }
    this.current = this.compute();
    return restored;
  }

  /** A reading that spans another time than the window (one failed before it) teaches nothing. */
  private spanRatio({ spanNanos }: Advance, windowSeconds: number): number {
    const ratio = (windowSeconds * GIGA) / Number(spanNanos);
    return ratio > 0.8 && ratio < 1.25 ? ratio : 0;
  }

  private compute(): readonly Coefficients[] {
    const prior = this.options.priorFor ?? defaultCoefficients;
    return this.topology.cpuDomains.map(
      ({ packageId, coreType }) =>
        this.fits.find(({ shape }) => shape.packageId === packageId)?.coefficients(coreType) ??
        prior(coreType),
    );
  }
}
