// SPDX-License-Identifier: Apache-2.0
/** "did you mean": the nearest of the known names, if it is near enough to be a slip. */

/** Edits (insert, delete, replace, swap of neighbours) between two words. */
export const editDistance = (from: string, to: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const cost = from[row - 1] === to[column - 1] ? 0 : 1;
      const swapped =
        from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
          ? (beforeLast[column - 2] ?? Infinity) + 1
          : Infinity;
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + cost,
          swapped,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
};

const normalised = (name: string): string => name.toLowerCase().replaceAll('-', '_');

/** The candidate at most a third of the word's length away; ties go to the first. */
export const nearest = (word: string, candidates: readonly string[]): string | undefined => {
  const wanted = normalised(word.slice(0, 64));
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const best = candidates
    .map((candidate) => ({ candidate, distance: editDistance(wanted, normalised(candidate)) }))
    .reduce<{ candidate: string; distance: number } | undefined>(
      (least, next) => (least === undefined || next.distance < least.distance ? next : least),
      undefined,
    );
  return best !== undefined && best.distance <= limit ? best.candidate : undefined;
};
