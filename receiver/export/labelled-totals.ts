// SPDX-License-Identifier: Apache-2.0
/**
 * A rising total kept apart by label. When the label changes, what was booked stays under the old one,
 * so that each label's part only rises and the parts still sum to the whole.
 */
export class LabelledTotals {
  readonly #parts = new Map<string, bigint>();
  #sum = 0n;

  get sum(): bigint {
    return this.#sum;
  }

  add(label: string, amount: bigint): void {
    this.#parts.set(label, (this.#parts.get(label) ?? 0n) + amount);
    this.#sum += amount;
  }

  /** Books the difference to the sum so far; a lower total books nothing and returns false. */
  raiseTo(label: string, total: bigint): boolean {
    if (total < this.#sum) return false;
    this.add(label, total - this.#sum);
    return true;
  }

  parts(): IterableIterator<[label: string, total: bigint]> {
    return this.#parts.entries();
  }
}
