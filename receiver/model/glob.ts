// SPDX-License-Identifier: Apache-2.0
/** Patterns as people write them in the configuration. Pure. */

/** The whole of a text, line breaks included: `*` stands for any text, `?` for one character. */
export const globPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replaceAll('?', '.')}$`,
    's',
  );
