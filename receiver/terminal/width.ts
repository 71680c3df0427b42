// SPDX-License-Identifier: Apache-2.0
/** Text by the columns it takes on a terminal: wide characters take two, combining ones none. */
import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
/** Control bytes, and marks that turn the direction of what follows. Names are escaped already; this is the last gate. */
const UNSAFE = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu;
const ELLIPSIS = '…';

const segmenter = new Intl.Segmenter();

/** What may reach a terminal, whatever it was given. */
export const safeText = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text : text.replace(UNSAFE, '\ufffd');

export const displayWidth = (text: string): number =>
  PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);

/** What a person takes for one character. */
export const graphemes = (text: string): readonly string[] =>
  Array.from(segmenter.segment(text), ({ segment }) => segment);

/** As many of the pieces, in their order, as fit into `width`. */
const fitting = (pieces: readonly string[], width: number): readonly string[] => {
  let used = 0;
  const end = pieces.findIndex((piece) => (used += displayWidth(piece)) > width);
  return end < 0 ? pieces : pieces.slice(0, end);
};

/** Keeps the beginning; an ellipsis stands for what was cut. */
export const clipEnd = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  return fitting(graphemes(text), width - 1).join('') + ELLIPSIS;
};

/** Keeps the end: of a path, the end tells most. */
export const clipStart = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return '';
  const kept = fitting(graphemes(text).toReversed(), width - 1);
  return ELLIPSIS + kept.toReversed().join('');
};

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

export const padStart = (text: string, width: number): string =>
  ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
