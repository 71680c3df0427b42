// SPDX-License-Identifier: Apache-2.0
import { escapeBytes } from '../model/escape.js';
import type { Words } from './words.js';

/** Slots of the cache; a power of two. 256 KiB of keys: of 1,000 names one in thirty shares a slot. */
const CACHE_SLOTS = 16_384;
const HALVES = 4;
const HALF_BYTES = 4;
/** Knuth's multiplicative hash constants; any odd spread would do. */
const SPREAD_A = 0x9e37_79b1;
const SPREAD_B = 0x85eb_ca6b;

/** Bytes up to the first NUL, for display. */
export const nameOf = (bytes: Uint8Array, at: number, lengthBytes: number): string => {
  let end = at;
  while (end < at + lengthBytes && bytes[end] !== 0) end += 1;
  return escapeBytes(bytes, at, end);
};

/**
 * 16-byte names to strings. The same few names come back in every window, so the last string of each
 * hash slot is kept: 4 comparisons instead of decoding and allocating. The result depends on the
 * bytes only.
 */
export class CommCache {
  private readonly keys = new Uint32Array(CACHE_SLOTS * HALVES);
  private readonly names = new Array<string | undefined>(CACHE_SLOTS).fill(undefined);

  /** The name at byte offset `at`; `lengthBytes` must be 16 for the cache to be used. */
  public nameAt(words: Words, at: number, lengthBytes: number): string {
    if (lengthBytes !== HALVES * HALF_BYTES) return nameOf(words.bytes, at, lengthBytes);
    const a = words.u32(at);
    const b = words.u32(at + 4);
    const c = words.u32(at + 8);
    const d = words.u32(at + 12);
    const mixed = Math.imul(a ^ (c << 7) ^ (c >>> 25), SPREAD_A) + Math.imul(b ^ d, SPREAD_B);
    const slot = ((mixed >>> 15) ^ mixed) & (CACHE_SLOTS - 1);
    const key = slot * HALVES;
    const known = this.names[slot];
    if (
      known !== undefined &&
      this.keys[key] === a &&
      this.keys[key + 1] === b &&
      this.keys[key + 2] === c &&
      this.keys[key + 3] === d
    ) {
      return known;
    }
    const name = nameOf(words.bytes, at, lengthBytes);
    this.keys.set([a, b, c, d], key);
    this.names[slot] = name;
    return name;
  }
}
