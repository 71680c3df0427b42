// SPDX-License-Identifier: Apache-2.0
/** What the kernel's table of task slots takes of the host's memory. */

const BYTES_PER_MEBIBYTE = 1_048_576;

/** Slots and the size of one, as the boundary record has it. */
export interface SlotTable {
  readonly count: number;
  readonly bytesEach: number;
}

export const slotMebibytes = ({ count, bytesEach }: SlotTable): number =>
  (count * bytesEach) / BYTES_PER_MEBIBYTE;
