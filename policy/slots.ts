// SPDX-License-Identifier: Apache-2.0
/** Which index of the `cgroup` map a cgroup has: kept while it lives, given away one window after it went. */

export class CgroupSlots {
  readonly #byId = new Map<bigint, number>();
  readonly #limit: number;
  #free: number[] = [];
  #next = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Indices for these cgroups, in the order of the list where new ones are needed. One that went in this window
   * keeps its index until the next: readers of the last generation may still ask for it.
   */
  assign(ids: readonly bigint[]): ReadonlyMap<bigint, number> {
    const present = new Set(ids);
    const gone = [...this.#byId].filter(([id]) => !present.has(id));
    for (const id of ids) {
      if (this.#byId.has(id)) continue;
      const index = this.#free.pop() ?? (this.#next < this.#limit ? this.#next++ : undefined);
      if (index === undefined) break;
      this.#byId.set(id, index);
    }
    for (const [id, index] of gone) {
      this.#byId.delete(id);
      this.#free.push(index);
    }
    return new Map(this.#byId);
  }
}
