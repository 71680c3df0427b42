// SPDX-License-Identifier: Apache-2.0
/** As much of a terminal as our screens use: what a person would see after the bytes so far. */

export interface TerminalPicture {
  readonly lines: readonly string[];
  readonly isAlternate: boolean;
  readonly isCursorHidden: boolean;
  readonly isWrapping: boolean;
}

const SEQUENCE = /\x1b\[(\??)([\d;]*)([A-Za-z])/y;

/** Wide characters are not placed: tests of pictures use names of one column per character. */
export const pictureOf = (bytes: string, rows = 60): TerminalPicture => {
  const modes = new Map<string, boolean>([['7', true]]);
  let cells: string[][] = Array.from({ length: rows }, () => []);
  let [row, column] = [0, 0];
  const control = (isPrivate: boolean, parameters: string, command: string): void => {
    if (isPrivate) modes.set(parameters, command === 'h');
    else if (command === 'H') {
      const [y, x] = parameters.split(';').map(Number);
      [row, column] = [(y ?? 1) - 1, (x ?? 1) - 1];
    } else if (command === 'K') cells[row]?.splice(column);
    else if (command === 'J') cells = Array.from({ length: rows }, () => []);
    else if (command !== 'm') throw new Error(`unknown sequence: ${parameters}${command}`);
  };
  for (let at = 0; at < bytes.length;) {
    SEQUENCE.lastIndex = at;
    const found = SEQUENCE.exec(bytes);
    if (found !== null) {
      control(found[1] === '?', found[2] ?? '', found[3] ?? '');
      at = SEQUENCE.lastIndex;
      continue;
    }
    const char = bytes[at] ?? '';
    if (char === '\n') row++;
    else if (char === '\r') column = 0;
    else {
      const line = cells[row];
      if (line !== undefined) line[column] = char;
      column++;
    }
    at++;
  }
  return {
    lines: cells.map((line) =>
      Array.from(line, (char: string | undefined) => char ?? ' ')
        .join('')
        .trimEnd(),
    ),
    isAlternate: modes.get('1049') ?? false,
    isCursorHidden: modes.get('25') === false,
    isWrapping: modes.get('7') ?? true,
  };
};
