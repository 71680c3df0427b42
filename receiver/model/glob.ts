// SPDX-License-Identifier: Apache-2.0
/** Patterns as people write them in the configuration. Pure. */

export type MatchesGlob = (text: string) => boolean;

/**
 * The whole of a text, line breaks included: `*` stands for any text, `?` for one character.
 *
 * Not by a regular expression: that takes time to the power of the number of stars, for ever on a long
 * path. Here only the last star is ever lengthened, since an earlier one could only give it less to match:
 * at most the product of both lengths.
 */
export const globMatcher = (glob: string): MatchesGlob => {
  const pattern = Array.from(glob.replace(/\*+/g, '*'));
  const isStar = pattern.map((character) => character === '*');
  return (text) => {
    const characters = Array.from(text);
    let at = 0;
    let textAt = 0;
    let starAt = -1;
    let starTextAt = 0;
    while (textAt < characters.length) {
      if (isStar[at] === true) {
        starAt = at;
        starTextAt = textAt;
        at += 1;
      } else if (
        at < pattern.length &&
        (pattern[at] === '?' || pattern[at] === characters[textAt])
      ) {
        at += 1;
        textAt += 1;
      } else if (starAt >= 0) {
        starTextAt += 1;
        textAt = starTextAt;
        at = starAt + 1;
      } else {
        return false;
      }
    }
    return at === pattern.length || (isStar[at] === true && at === pattern.length - 1);
  };
};
