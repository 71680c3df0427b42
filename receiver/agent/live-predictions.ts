// SPDX-License-Identifier: Apache-2.0
/**
 * What the kernel side predicts slices with: the coefficients in use and, where somebody acts on single predictions
 * (the power feed), scaled so that they add up to what is billed.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivitySession } from '../activity/port.js';
import type { AttributionInput, WindowAttribution } from '../attribution/attribute.js';
import { PoolScales } from '../attribution/pool-scales.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import type { Logger } from './logger.js';

export interface PredictionParts {
  readonly topology: HostTopology;
  readonly session: Pick<ActivitySession, 'setCoefficients'>;
  /** False: nobody reads single predictions, the coefficients do as they are. */
  readonly isScaling: boolean;
  readonly logger: Logger;
}

export class LivePredictions {
  readonly #parts: PredictionParts;
  readonly #scales: PoolScales;
  #hasRefused = false;

  constructor(parts: PredictionParts) {
    this.#parts = parts;
    this.#scales = new PoolScales(parts.topology);
  }

  /** By CPU domain. */
  use(coefficients: readonly Coefficients[]): void {
    const { session, isScaling, logger } = this.#parts;
    const set = session.setCoefficients(
      isScaling ? this.#scales.scaled(coefficients) : coefficients,
    );
    if (E.isRight(set) || this.#hasRefused) return;
    this.#hasRefused = true;
    const { operation, code } = set.left;
    logger.warn('the kernel side keeps its coefficients', { operation, code });
  }

  /** After each window, as it was split; `coefficients` are those from now on. */
  after(
    input: AttributionInput,
    { balances }: WindowAttribution,
    coefficients: readonly Coefficients[],
  ): void {
    if (!this.#parts.isScaling) return;
    this.#scales.learn(input, balances);
    this.use(coefficients);
  }
}
