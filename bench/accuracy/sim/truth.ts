// SPDX-License-Identifier: Apache-2.0
/**
 * Whose the energy truly is, by two definitions. Shapley: what several need at once is split among them
 * by the time each was there. Marginal: it goes by what each spent on its own. Own energy is the same in both.
 */
export interface Sharer {
  readonly owner: number;
  readonly packageId: number;
  readonly nanos: number;
  readonly ownNanojoules: number;
}

export interface Truth {
  /** nJ by owner, package energy above idle. */
  readonly shapley: Float64Array;
  readonly marginal: Float64Array;
  readonly memory: Float64Array;
  readonly idleNanojoules: number;
}

export class TruthBooks {
  private shapley: Float64Array;
  private marginal: Float64Array;
  private memory: Float64Array;
  private idleNanojoules = 0;

  /** Owners are 0 … owners - 1; interrupts are one of them. */
  public constructor(
    private readonly owners: number,
    public readonly interruptOwner: number,
  ) {
    this.shapley = new Float64Array(owners);
    this.marginal = new Float64Array(owners);
    this.memory = new Float64Array(owners);
  }

  public addOwn(owner: number, nanojoules: number): void {
    this.shapley[owner] = (this.shapley[owner] ?? 0) + nanojoules;
    this.marginal[owner] = (this.marginal[owner] ?? 0) + nanojoules;
  }

  /** `packageId`: only those of this package share. */
  public addShared(sharers: readonly Sharer[], nanojoules: number, packageId?: number): void {
    let nanos = 0;
    let own = 0;
    for (const sharer of sharers) {
      if (packageId !== undefined && sharer.packageId !== packageId) continue;
      nanos += sharer.nanos;
      own += sharer.ownNanojoules;
    }
    for (const sharer of sharers) {
      if (packageId !== undefined && sharer.packageId !== packageId) continue;
      const { owner } = sharer;
      const byTime = (nanojoules * sharer.nanos) / nanos;
      this.shapley[owner] = (this.shapley[owner] ?? 0) + byTime;
      const byOwn = own > 0 ? (nanojoules * sharer.ownNanojoules) / own : byTime;
      this.marginal[owner] = (this.marginal[owner] ?? 0) + byOwn;
    }
  }

  public addMemory(owner: number, nanojoules: number): void {
    this.memory[owner] = (this.memory[owner] ?? 0) + nanojoules;
  }

  public addIdle(nanojoules: number): void {
    this.idleNanojoules += nanojoules;
  }

  /** What was booked since the last call. */
  public take(): Truth {
    const { shapley, marginal, memory, idleNanojoules } = this;
    this.shapley = new Float64Array(this.owners);
    this.marginal = new Float64Array(this.owners);
    this.memory = new Float64Array(this.owners);
    this.idleNanojoules = 0;
    return { shapley, marginal, memory, idleNanojoules };
  }
}
