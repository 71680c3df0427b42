// SPDX-License-Identifier: Apache-2.0
/** Bytes of a terminal in raw mode to keys. */

export type Key =
  | { readonly _tag: 'Char'; readonly char: string }
  | { readonly _tag: 'Named'; readonly name: NamedKey };

export type NamedKey =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt'
  | 'suspend'
  | 'redraw'
  | 'clear';

/** Sequences of xterm, VT220 and the Linux console, longest first. */
const SEQUENCES: readonly (readonly [string, NamedKey])[] = [
  ['\x1b[1~', 'home'],
  ['\x1b[4~', 'end'],
  ['\x1b[5~', 'page-up'],
  ['\x1b[6~', 'page-down'],
  ['\x1b[7~', 'home'],
  ['\x1b[8~', 'end'],
  ['\x1b[A', 'up'],
  ['\x1b[B', 'down'],
  ['\x1b[C', 'right'],
  ['\x1b[D', 'left'],
  ['\x1b[H', 'home'],
  ['\x1b[F', 'end'],
  ['\x1bOA', 'up'],
  ['\x1bOB', 'down'],
  ['\x1bOC', 'right'],
  ['\x1bOD', 'left'],
  ['\x1bOH', 'home'],
  ['\x1bOF', 'end'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\x03', 'interrupt'],
  ['\x1a', 'suspend'],
  ['\x0c', 'redraw'],
  ['\x15', 'clear'],
];

/** Any other control sequence (function keys, mouse, pasted marks): passed over as a whole. */
const UNKNOWN_SEQUENCE = /^\x1b(\[[0-?]*[ -/]*[@-~]|O.)/;

export const decodeKeys = (text: string): readonly Key[] => {
  const keys: Key[] = [];
  let rest = text;
  while (rest !== '') {
    const known = SEQUENCES.find(([sequence]) => rest.startsWith(sequence));
    const unknown = UNKNOWN_SEQUENCE.exec(rest)?.[0];
    const char = String.fromCodePoint(rest.codePointAt(0) ?? 0);
    if (known !== undefined) keys.push({ _tag: 'Named', name: known[1] });
    else if (unknown === undefined && char === '\x1b') keys.push({ _tag: 'Named', name: 'escape' });
    else if (unknown === undefined && char >= ' ') keys.push({ _tag: 'Char', char });
    rest = rest.slice((known?.[0] ?? unknown ?? char).length);
  }
  return keys;
};
