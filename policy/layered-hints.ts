// SPDX-License-Identifier: Apache-2.0
/**
 * The bridge to scx_layered: which threads get which hint, and which lose theirs. A layer that matches the
 * hint then acts on power, without any change to that scheduler. Its map keeps a hint until somebody takes
 * it away, so ours are taken away when they no longer hold, and all of them at the end.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { NativeError } from '../receiver/activity/port.js';
import type { FeedPort, HintMap } from './port.js';

/** For a layer's `HintEquals`; scx_layered takes 0 to 1024. */
export const HINT_OVER_BUDGET = 1001;
export const HINT_SPINNING = 1002;

/** A thread that ran in the window. */
export interface HintedTask {
  readonly tid: number;
  readonly isOverBudget: boolean;
  readonly isSpinning: boolean;
}

export interface HintChanges {
  /** Hint -> threads that get it now. */
  readonly set: ReadonlyMap<number, readonly number[]>;
  readonly clear: readonly number[];
  /** Who has which hint afterwards. */
  readonly held: ReadonlyMap<number, number>;
}

const hintOf = ({ isOverBudget, isSpinning }: HintedTask): number | undefined =>
  isSpinning ? HINT_SPINNING : isOverBudget ? HINT_OVER_BUDGET : undefined;

/**
 * Threads that ran and no longer deserve a hint lose it; those that did not run (they sleep, or wait because of
 * the hint) keep it while their cgroup is still over. Pure.
 */
export const hintChanges = (
  held: ReadonlyMap<number, number>,
  tasks: readonly HintedTask[],
): HintChanges => {
  const next = new Map(held);
  const set = new Map<number, number[]>();
  const clear: number[] = [];
  for (const task of tasks) {
    const hint = hintOf(task);
    if (hint === held.get(task.tid)) continue;
    if (hint === undefined) {
      clear.push(task.tid);
      next.delete(task.tid);
      continue;
    }
    next.set(task.tid, hint);
    set.set(hint, [...(set.get(hint) ?? []), task.tid]);
  }
  return { set, clear, held: next };
};

/** Opens the pin when the scheduler has made it, and again when it is another one. */
export class LayeredHints {
  readonly #port: Pick<FeedPort, 'openHintMap'>;
  readonly #path: string;
  #map: HintMap | undefined;
  #held: ReadonlyMap<number, number> = new Map();

  constructor(port: Pick<FeedPort, 'openHintMap'>, path: string) {
    this.#port = port;
    this.#path = path;
  }

  /** Right: how many hints are held. Left with ENOENT: the scheduler is not there yet; it is tried again. */
  apply(tasks: readonly HintedTask[]): E.Either<NativeError, number> {
    if (this.#map === undefined) {
      const opened = this.#port.openHintMap(this.#path);
      if (E.isLeft(opened)) return opened;
      this.#map = opened.right;
    }
    const changes = hintChanges(this.#held, tasks);
    for (const [hint, tids] of changes.set) {
      const written = this.#map.set(tids, hint);
      if (E.isLeft(written)) return this.#give(written.left);
    }
    const cleared = this.#map.clear(changes.clear);
    if (E.isLeft(cleared)) return this.#give(cleared.left);
    this.#held = changes.held;
    return E.right(this.#held.size);
  }

  close(): void {
    this.#map?.clear([...this.#held.keys()]);
    this.#map?.close();
    this.#map = undefined;
    this.#held = new Map();
  }

  #give(error: NativeError): E.Either<NativeError, never> {
    this.#map?.close();
    this.#map = undefined;
    return E.left(error);
  }
}
