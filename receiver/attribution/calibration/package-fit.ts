// SPDX-License-Identifier: Apache-2.0
/**
 * Learns the coefficients of one package from its own counter, while it runs.
 *
 * Prediction and energy are compared above idle. What is known beforehand is the ratio of the
 * coefficients (the priors) and not their scale, so the ridge and the comparison both use the priors
 * times the one factor that fits best: a fit must be better than that to be believed. A steady load fits
 * any model with one factor, teaches nothing about ratios, and is therefore never accepted by itself.
 *
 * Only what a row says anew is forgotten (see gram.ts): an hour of one load does not wipe out what was
 * learnt from the variety before it.
 */
import {
  coefficientsOfTheta,
  PER_CORE_TYPE,
  priorsOf,
  type DesignRow,
  type DesignShape,
} from './design-row.js';
import { addRow, dot, forgetAlong, newGram, solve, type Gram } from './gram.js';
import { HeldOut, HELD_OUT_WINDOWS, type SavedErrors } from './held-out.js';
import type { Coefficients } from '../../model/coefficients.js';

/** Per second of the same load; the time constant is about eight minutes. */
const FORGETTING_PER_SECOND = 0.998;
const SOLVE_EVERY_SECONDS = 10;
/** Coefficients may leave the scaled priors by this factor at most. */
const BOUND_FACTOR = 4;
/** The scale itself: a laptop or a four-times larger server are still CPUs. */
const SCALE_LEAST = 0.2;
const SCALE_MOST = 5;
/** A fit is believed from 15 % and 0.2 points less error on, and dropped when it is worse. */
const ACCEPT_RATIO = 0.85;
const ACCEPT_DIFFERENCE = 0.002;
const DROP_RATIO = 1.1;
const DROP_DIFFERENCE = 0.002;
/** Until then nothing is an outlier: the first fit is not to be trusted that far. */
const WINDOWS_BEFORE_DOUBT = 60;
/** Weight of a second of the cores' own counter beside one of the package's. */
const CORE_WEIGHT = 0.5;
/** Fewer counted slices than this and the row says more about the gaps' estimate than about power. */
const LEAST_COUNTED_SHARE = 0.9;
/** Shorter windows are blurred by the counters' own update interval. */
const LEAST_SPAN_SECONDS = 0.1;

export type FitState = 'prior' | 'calibrated';

/** For the state file and recordings: with it the next window teaches the same. */
export interface SavedFit {
  readonly packageId: number;
  readonly coreTypes: readonly string[];
  readonly matrix: readonly number[];
  readonly moment: readonly number[];
  readonly scaleNumerator: number;
  readonly scaleDenominator: number;
  readonly theta: readonly number[];
  readonly isCalibrated: boolean;
  readonly windows: number;
  readonly sinceSolveSeconds: number;
  readonly meanError: number;
  readonly ofPrior: SavedErrors;
  readonly ofCandidate: SavedErrors;
}

export interface FitInput {
  readonly row: DesignRow;
  /** The package without its graphics. */
  readonly energyJoules: number;
  /** Learnt or configured idle power; undefined while not known: nothing is learnt then. */
  readonly idleWatts: number | undefined;
  /** What the cores' own counter said above its floor; undefined without one. */
  readonly coreJoules: number | undefined;
}

export class PackageFit {
  private readonly gram: Gram;
  private readonly prior: Float64Array;
  private readonly ofPrior = new HeldOut();
  private readonly ofCandidate = new HeldOut();
  private theta: Float64Array;
  private scaleNumerator = 0;
  private scaleDenominator = 0;
  private sinceSolveSeconds = 0;
  private meanError = 0;
  private isCalibrated = false;
  private windowCount = 0;

  public constructor(
    public readonly shape: DesignShape,
    priorFor?: (coreType: string) => Coefficients,
  ) {
    this.gram = newGram(shape.size);
    this.prior = priorsOf(shape, priorFor);
    this.theta = this.prior.slice();
  }

  public get state(): FitState {
    return this.isCalibrated ? 'calibrated' : 'prior';
  }

  public get windows(): number {
    return this.windowCount;
  }

  /** One-step-ahead error of the coefficients in use, relative to the mean energy above idle. */
  public nrmse(): number | undefined {
    return (this.isCalibrated ? this.ofCandidate : this.ofPrior).nrmse();
  }

  public priorNrmse(): number | undefined {
    return this.ofPrior.nrmse();
  }

  /** Those in use: the calibrated ones, or the priors in the scale that fits. */
  public coefficients(coreType: string): Coefficients {
    return coefficientsOfTheta(
      this.isCalibrated ? this.theta : this.scaledPrior(),
      this.shape,
      coreType,
    );
  }

  /** Joules above idle of a row, by the coefficients in use. */
  public predict(x: Float64Array): number {
    const active = x.slice();
    active[this.shape.idleAt] = 0;
    return dot(active, this.isCalibrated ? this.theta : this.scaledPrior());
  }

  /** Returns whether the coefficients in use have changed. */
  public learn({ row, energyJoules, idleWatts, coreJoules }: FitInput): boolean {
    const { x, spanSeconds, countedShare } = row;
    if (idleWatts === undefined || spanSeconds < LEAST_SPAN_SECONDS) return false;
    if (countedShare < LEAST_COUNTED_SHARE || !x.every(Number.isFinite)) return false;
    const activeX = x.slice();
    activeX[this.shape.idleAt] = 0;
    const active = energyJoules - idleWatts * spanSeconds;
    if (!(dot(activeX, this.prior) > 0) || !Number.isFinite(active)) return false;
    this.windowCount += 1;
    this.compare(activeX, active);
    this.take(activeX, active, spanSeconds);
    if (coreJoules !== undefined) this.takeCore(activeX, coreJoules, spanSeconds);
    this.sinceSolveSeconds += spanSeconds;
    if (this.sinceSolveSeconds < SOLVE_EVERY_SECONDS) return false;
    this.sinceSolveSeconds = 0;
    this.resolve();
    return true;
  }

  public save(): SavedFit {
    return {
      packageId: this.shape.packageId,
      coreTypes: this.shape.coreTypes,
      matrix: [...this.gram.matrix],
      moment: [...this.gram.moment],
      scaleNumerator: this.scaleNumerator,
      scaleDenominator: this.scaleDenominator,
      theta: [...this.theta],
      isCalibrated: this.isCalibrated,
      windows: this.windowCount,
      sinceSolveSeconds: this.sinceSolveSeconds,
      meanError: this.meanError,
      ofPrior: this.ofPrior.save(),
      ofCandidate: this.ofCandidate.save(),
    };
  }

  /** False: saved for another shape; nothing is taken over. */
  public restore(saved: SavedFit): boolean {
    const { size, coreTypes } = this.shape;
    const isSame =
      saved.coreTypes.join() === coreTypes.join() &&
      saved.matrix.length === size * size &&
      saved.moment.length === size &&
      saved.theta.length === size;
    if (!isSame) return false;
    this.gram.matrix.set(saved.matrix);
    this.gram.moment.set(saved.moment);
    this.scaleNumerator = saved.scaleNumerator;
    this.scaleDenominator = saved.scaleDenominator;
    this.theta = Float64Array.from(saved.theta);
    this.isCalibrated = saved.isCalibrated;
    this.windowCount = saved.windows;
    this.sinceSolveSeconds = saved.sinceSolveSeconds;
    this.meanError = saved.meanError;
    this.ofPrior.restore(saved.ofPrior);
    this.ofCandidate.restore(saved.ofCandidate);
    return true;
  }

  private scale(): number {
    if (!(this.scaleDenominator > 0)) return 1;
    const scale = this.scaleNumerator / this.scaleDenominator;
    return Math.min(SCALE_MOST, Math.max(SCALE_LEAST, scale));
  }

  private scaledPrior(): Float64Array {
    const scale = this.scale();
    return this.prior.map((value) => value * scale);
  }

  /** Both predictions were made before this window was seen. */
  private compare(x: Float64Array, active: number): void {
    this.ofPrior.add(this.scale() * dot(x, this.prior), active);
    this.ofCandidate.add(dot(x, this.theta), active);
  }

  /** A window that nothing explains (graphics, firmware, an anomaly) counts for little. */
  private robustWeight(error: number, active: number): number {
    const relative = Math.abs(error) / Math.max(1e-6, active);
    const usual = this.meanError;
    this.meanError =
      usual === 0 ? relative : usual + 0.02 * (Math.min(relative, 4 * usual) - usual);
    return usual === 0 ? 1 : 1 / (1 + (relative / (3 * 1.25 * Math.max(usual, 0.005))) ** 2);
  }

  private take(x: Float64Array, active: number, spanSeconds: number): void {
    const predicted = dot(x, this.theta);
    const isFitted = this.windowCount > WINDOWS_BEFORE_DOUBT;
    const weight =
      spanSeconds *
      (isFitted ? this.robustWeight(active - predicted, Math.max(active, predicted)) : 1);
    const kept = FORGETTING_PER_SECOND ** spanSeconds;
    // Rows as powers: windows of another length weigh by their time.
    const perSecond = x.map((value) => value / spanSeconds);
    forgetAlong(this.gram, perSecond, kept);
    addRow(this.gram, perSecond, active / spanSeconds, weight);
    const byPrior = dot(perSecond, this.prior);
    this.scaleNumerator = this.scaleNumerator * kept + (weight * byPrior * active) / spanSeconds;
    this.scaleDenominator = this.scaleDenominator * kept + weight * byPrior * byPrior;
  }

  /** The cores' own counter knows nothing of misses and of the package's on-power. */
  private takeCore(x: Float64Array, coreJoules: number, spanSeconds: number): void {
    const own = this.shape.coreTypes.length * PER_CORE_TYPE;
    const perSecond = x.map((value, at) => (at < own ? value / spanSeconds : 0));
    addRow(this.gram, perSecond, coreJoules / spanSeconds, CORE_WEIGHT * spanSeconds);
  }

  private resolve(): void {
    const prior = this.scaledPrior();
    this.theta = solve(this.gram, {
      prior,
      low: prior.map((value) => value / BOUND_FACTOR),
      high: prior.map((value) => value * BOUND_FACTOR),
    });
    this.decide();
  }

  private decide(): void {
    const prior = this.ofPrior.nrmse();
    const candidate = this.ofCandidate.nrmse();
    if (prior === undefined || candidate === undefined) return;
    if (this.ofCandidate.count < HELD_OUT_WINDOWS) return;
    if (this.isCalibrated) this.isCalibrated = candidate <= prior * DROP_RATIO + DROP_DIFFERENCE;
    else
      this.isCalibrated = candidate < prior * ACCEPT_RATIO && prior - candidate > ACCEPT_DIFFERENCE;
  }
}
