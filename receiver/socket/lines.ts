// SPDX-License-Identifier: Apache-2.0
/** Bytes to lines, with a bound on what one line may hold. */

const NEWLINE = 0x0a;

export interface Lines {
  readonly lines: readonly string[];
  /** A line grew beyond the bound; nothing after it can be trusted. */
  readonly isOversized: boolean;
}

/** Keeps what follows the last newline until the rest of it arrives. */
export const lineSplitter = (maxLineBytes: number): ((chunk: Buffer) => Lines) => {
  // Pieces of one unfinished line: joined once, not at every chunk of a report of megabytes.
  let pieces: Buffer[] = [];
  let pendingBytes = 0;
  return (chunk) => {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      if (pendingBytes + piece.length > maxLineBytes) return { lines, isOversized: true };
      lines.push(Buffer.concat([...pieces, piece]).toString('utf8'));
      pieces = [];
      pendingBytes = 0;
      from = at + 1;
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) pieces.push(rest);
    pendingBytes += rest.length;
    return { lines, isOversized: pendingBytes > maxLineBytes };
  };
};

/** Undefined where the text is no JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
