// SPDX-License-Identifier: Apache-2.0
/** Errors of predictions that were made before the window they are about was seen. */

/** Windows over which two models are compared. */
export const HELD_OUT_WINDOWS = 60;

export interface SavedErrors {
  readonly squares: readonly number[];
  readonly energies: readonly number[];
}

export class HeldOut {
  private readonly squares: number[] = [];
  private readonly energies: number[] = [];

  public get count(): number {
    return this.squares.length;
  }

  /** One window: what was predicted above idle, and what was measured, in joules. */
  public add(predictedJoules: number, measuredJoules: number): void {
    this.squares.push((predictedJoules - measuredJoules) ** 2);
    this.energies.push(Math.max(0, measuredJoules));
    if (this.squares.length <= HELD_OUT_WINDOWS) return;
    this.squares.shift();
    this.energies.shift();
  }

  public save(): SavedErrors {
    return { squares: [...this.squares], energies: [...this.energies] };
  }

  public restore({ squares, energies }: SavedErrors): void {
    this.squares.splice(0, this.squares.length, ...squares);
    this.energies.splice(0, this.energies.length, ...energies);
  }

  /** Root mean square error over the mean energy; undefined while nothing was drawn. */
  public nrmse(): number | undefined {
    const { length } = this.squares;
    const mean = this.energies.reduce((a, b) => a + b, 0) / length;
    if (length === 0 || !(mean > 0)) return undefined;
    return Math.sqrt(this.squares.reduce((a, b) => a + b, 0) / length) / mean;
  }
}
