// SPDX-License-Identifier: Apache-2.0
/**
 * Longest attribute on the wire, in UTF-16 units. Paths may have 4 KiB; a batch of 500 points must stay
 * below the 4 MiB that collectors accept. What is cut off is still told apart by pid or cgroup id.
 */
export const MAX_ATTRIBUTE_LENGTH = 1_024;

/** Cut to length, never inside a surrogate pair. */
export const boundedText = (text: string): string =>
  text.length <= MAX_ATTRIBUTE_LENGTH
    ? text
    : `${text.slice(0, MAX_ATTRIBUTE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
