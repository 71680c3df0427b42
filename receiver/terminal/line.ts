// SPDX-License-Identifier: Apache-2.0
/** A line as pieces of text with a meaning each. Views make these; colour is added at the very end. */
import { createColors } from 'picocolors';
import { clipEnd, displayWidth, safeText } from './width.js';

export type Style =
  'plain' | 'strong' | 'faint' | 'good' | 'warning' | 'alarm' | 'heading' | 'selected';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Span[];

export const span = (text: string, style: Style = 'plain'): Span => ({ text, style });

export const textOf = (line: Line): string => line.map(({ text }) => text).join('');

/** Cut to `width` columns and made safe for a terminal. */
export const clipLine = (line: Line, width: number): Line => {
  let left = width;
  return line.flatMap(({ text, style }) => {
    const clipped = clipEnd(safeText(text), left);
    left = Math.max(0, left - displayWidth(clipped));
    return clipped === '' ? [] : [{ text: clipped, style }];
  });
};

export type Painter = (line: Line) => string;

/** Without colour the text alone is left: no escape sequence at all. */
export const painterOf = (hasColour: boolean): Painter => {
  const colours = createColors(hasColour);
  const paint: Readonly<Record<Style, (text: string) => string>> = {
    plain: (text) => text,
    strong: colours.bold,
    faint: colours.dim,
    good: colours.green,
    warning: colours.yellow,
    alarm: (text) => colours.bold(colours.red(text)),
    heading: colours.inverse,
    selected: (text) => colours.inverse(colours.bold(text)),
  };
  return (line) => line.map(({ text, style }) => paint[style](text)).join('');
};
