// SPDX-License-Identifier: Apache-2.0
/**
 * Hands new coefficients to the kernel side, which predicts slices with them, and keeps what was learnt:
 * at most every few minutes, and at the end.
 */
import type { Clock } from '../host/clock.js';
import type { LearntStore } from './learnt-store.js';
import type { LivePredictions } from './live-predictions.js';
import type { Logger } from './logger.js';
import type { Pipeline } from './pipeline.js';

const KEEP_EVERY_NANOS = 300_000_000_000n;

export interface KeeperParts {
  readonly pipeline: Pick<Pipeline, 'coefficients' | 'calibration' | 'state' | 'restoreFits'>;
  readonly predictions: Pick<LivePredictions, 'use'>;
  /** Undefined: viewers that measure for a moment leave the file to the agent. */
  readonly store: LearntStore | undefined;
  readonly isWriting: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class CoefficientsKeeper {
  #keptNanos: bigint;

  constructor(private readonly parts: KeeperParts) {
    this.#keptNanos = parts.clock.monotonicNanos();
  }

  /** Before the first window: what was learnt before, and the kernel gets what is in use. */
  begin(): void {
    const fits = this.parts.store?.load() ?? [];
    if (fits.length > 0) {
      const packages = this.parts.pipeline.restoreFits(fits);
      this.parts.logger.info('learnt coefficients taken over', { packages });
    }
    this.#push();
  }

  /** After a window that changed the coefficients. */
  changed(): void {
    this.#push();
    const now = this.parts.clock.monotonicNanos();
    if (now - this.#keptNanos < KEEP_EVERY_NANOS) return;
    this.#keptNanos = now;
    this.#keep();
  }

  close(): void {
    this.#keep();
  }

  #push(): void {
    this.parts.predictions.use(this.parts.pipeline.coefficients());
  }

  /** A machine that taught nothing (no counters, modelled energy) leaves no file behind. */
  #keep(): void {
    const { store, isWriting, pipeline } = this.parts;
    if (store === undefined || !isWriting) return;
    const fits = (pipeline.state().fits ?? []).filter(({ windows }) => windows > 0);
    if (fits.length > 0) store.save(fits);
  }
}
