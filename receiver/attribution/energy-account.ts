// SPDX-License-Identifier: Apache-2.0
/** What one entity has been charged: exact sums since start, and what the last window added. */
import { microjoules, nanos, windowNanos } from '../model/units.js';
import type { Nanos } from '../model/units.js';
import type { EnergyByKind, LastWindow, Rated, Remainder } from '../model/ledger-view.js';

/** At most so much at once: with what is pending it stays below 2^53. */
export const LARGEST_AMOUNT = 2 ** 52;
/** Pending integers are moved to the bigint from here on, far below 2^53. */
const FOLD_AT = 2 ** 51;

/**
 * A sum of non-negative integers that never loses one: a number for the additions of the hot loop
 * (a bigint addition allocates), moved into a bigint before it could round.
 */
export class ExactSum {
  private folded = 0n;
  private pending = 0;

  /** `amount` is an integer in [0, LARGEST_AMOUNT]. */
  public add(amount: number): void {
    this.pending += amount;
    if (this.pending < FOLD_AT) return;
    this.folded += BigInt(this.pending);
    this.pending = 0;
  }

  /** All of another sum. Most have folded nothing yet, and then no bigint is made. */
  public addSum({ folded, pending }: ExactSum): void {
    if (folded !== 0n) this.folded += folded;
    this.add(pending);
  }

  public value(): bigint {
    return this.folded + BigInt(this.pending);
  }
}

/** One charge: whole microjoules and nanoseconds of one window. */
export interface Charge {
  readonly packageMicrojoules: number;
  readonly dramMicrojoules: number;
  readonly cpuNanos: number;
}

export class EnergyAccount {
  private readonly packageMicrojoules = new ExactSum();
  private readonly dramMicrojoules = new ExactSum();
  private readonly taskNanos = new ExactSum();
  /** Number of the booking that the three below belong to. */
  private booking = 0;
  private lastPackageMicrojoules = 0;
  private lastDramMicrojoules = 0;
  private lastTaskNanos = 0;

  /** Of the last charge; 0 if there was none. */
  public get lastBooking(): number {
    return this.booking;
  }

  public add(booking: number, { packageMicrojoules, dramMicrojoules, cpuNanos }: Charge): void {
    this.packageMicrojoules.add(packageMicrojoules);
    this.dramMicrojoules.add(dramMicrojoules);
    this.taskNanos.add(cpuNanos);
    this.addToWindow(booking, packageMicrojoules, dramMicrojoules, cpuNanos);
  }

  /** Takes over everything of an account that ends, so that sums stay whole. */
  public absorb(other: EnergyAccount): void {
    this.addSums(other);
    if (other.booking < this.booking) return;
    this.addToWindow(
      other.booking,
      other.lastPackageMicrojoules,
      other.lastDramMicrojoules,
      other.lastTaskNanos,
    );
  }

  /** The sums since start alone, whatever the last window was. */
  public addSums(other: EnergyAccount): void {
    this.packageMicrojoules.addSum(other.packageMicrojoules);
    this.dramMicrojoules.addSum(other.dramMicrojoules);
    this.taskNanos.addSum(other.taskNanos);
  }

  /** Charges what the booking with this number added to another account. */
  public addWindowOf(other: EnergyAccount, booking: number): void {
    if (other.booking !== booking) return;
    const {
      lastPackageMicrojoules: packageMicrojoules,
      lastDramMicrojoules: dramMicrojoules,
      lastTaskNanos: cpuNanos,
    } = other;
    this.add(booking, { packageMicrojoules, dramMicrojoules, cpuNanos });
  }

  public energy(): EnergyByKind {
    return {
      package: microjoules(this.packageMicrojoules.value()),
      dram: microjoules(this.dramMicrojoules.value()),
    };
  }

  public cpuNanos(): Nanos {
    return nanos(this.taskNanos.value());
  }

  /** What the booking with this number added: nothing if the entity was not charged in it. */
  public lastWindow(booking: number): LastWindow {
    const isCurrent = this.booking === booking;
    return {
      energy: {
        package: microjoules(isCurrent ? BigInt(this.lastPackageMicrojoules) : 0n),
        dram: microjoules(isCurrent ? BigInt(this.lastDramMicrojoules) : 0n),
      },
      cpuNanos: windowNanos(isCurrent ? this.lastTaskNanos : 0),
    };
  }

  public remainder(booking: number): Rated<Remainder> {
    return {
      energy: this.energy(),
      cpuNanos: this.cpuNanos(),
      lastWindow: this.lastWindow(booking),
    };
  }

  private addToWindow(booking: number, pkg: number, dram: number, cpuNanos: number): void {
    if (this.booking !== booking) {
      this.booking = booking;
      this.lastPackageMicrojoules = 0;
      this.lastDramMicrojoules = 0;
      this.lastTaskNanos = 0;
    }
    this.lastPackageMicrojoules += pkg;
    this.lastDramMicrojoules += dram;
    this.lastTaskNanos += cpuNanos;
  }
}
