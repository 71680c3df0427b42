// SPDX-License-Identifier: Apache-2.0
/** Hands each core's scale to the kernel side after a window; from the next one on its predictions hold. */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivitySession } from '../activity/port.js';
import { CoreScales } from '../attribution/core-scales.js';
import type { AttributionInput } from '../attribution/attribute.js';
import type { HostTopology } from '../model/host-topology.js';
import type { Logger } from './logger.js';

export class CoreScaling {
  readonly #scales: CoreScales;
  #isInUse = false;

  constructor(
    topology: HostTopology,
    private readonly session: Pick<ActivitySession, 'setCoreScales'>,
    private readonly logger: Logger,
  ) {
    this.#scales = new CoreScales(topology);
  }

  /** The window that comes was predicted with scales of its cores. */
  get isInUse(): boolean {
    return this.#isInUse;
  }

  after({ window, readings, idleFloors }: AttributionInput): void {
    if (!this.#scales.learn(window, readings, idleFloors)) {
      this.#isInUse = false;
      return;
    }
    const set = this.session.setCoreScales(this.#scales.byCpu());
    if (E.isLeft(set) && this.#isInUse)
      this.logger.warn('the kernel side takes no core scales', { code: set.left.code });
    this.#isInUse = E.isRight(set);
  }
}
