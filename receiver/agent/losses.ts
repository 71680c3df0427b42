// SPDX-License-Identifier: Apache-2.0
/** What the agent itself lost since start, by name; beside the ledger's losses. All zero on a healthy agent. */
export type LossName = 'undecodableBatches' | 'ledgerDefects';

export class Losses {
  readonly #counts: Record<LossName, number> = { undecodableBatches: 0, ledgerDefects: 0 };

  add(name: LossName): void {
    this.#counts[name] += 1;
  }

  readonly counts = (): Readonly<Record<string, number>> => this.#counts;
}
