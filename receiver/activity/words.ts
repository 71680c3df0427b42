// SPDX-License-Identifier: Apache-2.0
/**
 * Typed access to a batch. The records are in the host's byte order, which is little-endian on every
 * machine we build for (x86-64, arm64), and everything in them is aligned to its own size.
 */
import { nanos, windowNanos } from '../model/units.js';
import type { Nanos, WindowNanos } from '../model/units.js';

const WORD_BYTES = 8;
const HALF_BYTES = 4;
const HALF_RANGE = 2 ** 32;
/** High half of 2^53: a difference that large does not fit a number and cannot be real. */
const HIGH_HALF_LIMIT = 2 ** 21;
const UNAVAILABLE_HALF = 0xffff_ffff;

/** A batch seen as bytes, u32 and u64 at once. Addresses are byte offsets in the batch. */
export class Words {
  private readonly halves: Uint32Array;
  private readonly wholes: BigUint64Array;
  /** A difference that must be below 2^53 was not: the batch is broken. */
  public hasOversized = false;

  private constructor(public readonly bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes;
    this.halves = new Uint32Array(buffer, byteOffset, byteLength / HALF_BYTES);
    this.wholes = new BigUint64Array(buffer, byteOffset, byteLength / WORD_BYTES);
  }

  /** Copies only where the bytes do not begin at a multiple of 8. Length must be a multiple of 8. */
  public static over(bytes: Uint8Array): Words {
    return new Words(bytes.byteOffset % WORD_BYTES === 0 ? bytes : bytes.slice());
  }

  public u32(at: number): number {
    return this.halves[at / HALF_BYTES] ?? 0;
  }

  public u64(at: number): bigint {
    return this.wholes[at / WORD_BYTES] ?? 0n;
  }

  public clock(at: number): Nanos {
    return nanos(this.u64(at));
  }

  /** A u64 difference as a number: two halves are five times cheaper than a bigint. */
  public count(at: number): number {
    const high = this.halves[at / HALF_BYTES + 1] ?? 0;
    if (high >= HIGH_HALF_LIMIT) this.hasOversized = true;
    return high * HALF_RANGE + this.u32(at);
  }

  public duration(at: number): WindowNanos {
    return windowNanos(this.count(at));
  }

  /** RECORDS_UNAVAILABLE is not a zero. */
  public durationIfKnown(at: number): WindowNanos | undefined {
    const isUnavailable =
      this.u32(at) === UNAVAILABLE_HALF && this.u32(at + HALF_BYTES) === UNAVAILABLE_HALF;
    return isUnavailable ? undefined : this.duration(at);
  }
}
