// SPDX-License-Identifier: Apache-2.0
/** Breaks text into lines of at most `columns`, later lines indented; a word longer than that is cut. Pure. */
export const wrapText = (
  text: string,
  columns: number,
  firstIndent: string,
  nextIndent: string,
): readonly string[] => {
  const lines: string[] = [];
  let line = firstIndent;
  let isEmpty = true;
  const flush = (): void => {
    lines.push(line.trimEnd());
    line = nextIndent;
    isEmpty = true;
  };
  for (const word of text.split(' ')) {
    let rest = word;
    if (!isEmpty && line.length + 1 + rest.length > columns) flush();
    while (line.length + rest.length > columns && rest.length > 0) {
      const room = Math.max(1, columns - line.length);
      line += rest.slice(0, room);
      rest = rest.slice(room);
      flush();
    }
    line += isEmpty ? rest : ` ${rest}`;
    isEmpty = false;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
};
