// SPDX-License-Identifier: Apache-2.0
import type { SpinKind } from '../model/spin.js';

/** From here on a waiting loop's own glue is not its kind. */
const MIN_NAMED_SHARE = 0.1;

/** Samples by what they are: a kind of waiting, work, or nothing that could be told. */
export class Tally {
  readonly #kinds = new Map<SpinKind, number>();
  work = 0;
  unknown = 0;

  add(kind: SpinKind, count: number): void {
    if (count > 0) this.#kinds.set(kind, this.of(kind) + count);
  }

  of(kind: SpinKind): number {
    return this.#kinds.get(kind) ?? 0;
  }

  get waiting(): number {
    return [...this.#kinds.values()].reduce((all, count) => all + count, 0);
  }

  get total(): number {
    return this.waiting + this.work + this.unknown;
  }

  commonest<K extends SpinKind>(kinds: readonly [K, ...K[]]): K {
    return kinds.reduce((best, kind) => (this.of(kind) > this.of(best) ? kind : best));
  }

  /** The commonest kind that names what is waited for; `flag` where nothing else is of weight. */
  get kind(): SpinKind {
    const [best] = [...this.#kinds]
      .filter(([kind, count]) => kind !== 'flag' && count >= MIN_NAMED_SHARE * this.total)
      .toSorted(([, a], [, b]) => b - a);
    return best?.[0] ?? 'flag';
  }
}
