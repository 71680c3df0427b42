// SPDX-License-Identifier: Apache-2.0
/** Lines of a trace file, one after the other; gzip by suffix. What is readable of a cut file is read. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { StringDecoder } from 'node:string_decoder';
import { codeOf } from '../host/error-code.js';

export interface TraceLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The file ended, or could not be read further. */
export type TraceItem =
  | ({ readonly type: 'line' } & TraceLine)
  | {
      readonly type: 'broken';
      readonly number: number;
      readonly cause: string;
      /** It is the file that cannot be read, not one line of it. */
      readonly isFile: boolean;
    };

/** A window of 65,536 tasks is about 30 MB; a longer line is no trace. */
const MAX_LINE_CHARACTERS = 256 * 1024 * 1024;

const isGzip = (path: string): boolean => path.endsWith('.gz');

const open = (path: string, stdin: Readable): Readable => {
  const file = path === '-' ? stdin : createReadStream(path);
  if (!isGzip(path)) return file;
  // Of a cut file, what was written before the cut comes out; that the trace has no end record tells it.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  file.on('error', (error: Error) => gunzip.destroy(error));
  return file.pipe(gunzip);
};

async function* bytesOf(stream: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes: unknown = chunk;
    if (Buffer.isBuffer(bytes)) yield bytes;
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
  Z_DATA_ERROR: 'the compressed data is damaged',
};

/** zlib's words for data that does not begin as gzip does. */
const NOT_GZIP = 'incorrect header check';

const brokenBy = (error: unknown, number: number): TraceItem => {
  const message = error instanceof Error ? error.message : String(error);
  const code = codeOf(error, message);
  if (message === NOT_GZIP && number === 1)
    return { type: 'broken', number, cause: 'it ends in .gz and is not compressed', isFile: true };
  const isFile = !code.startsWith('Z_');
  return { type: 'broken', number, cause: CAUSES[code] ?? code, isFile };
};

/** Some editors put a byte order mark in front; it is not of the text. */
const withoutMark = (text: string, number: number): string =>
  number === 1 ? text.replace(/^\ufeff/, '') : text;

export async function* traceLines(path: string, stdin: Readable): AsyncGenerator<TraceItem> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let number = 0;
  try {
    for await (const chunk of bytesOf(open(path, stdin))) {
      const piece = decoder.write(chunk);
      let from = 0;
      // Only the new piece is searched: a long line comes in thousands of them.
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
        number += 1;
        const text = withoutMark(rest + piece.slice(from, at), number);
        rest = '';
        from = at + 1;
        if (text.trim() !== '') yield { type: 'line', number, text };
      }
      rest += piece.slice(from);
      if (rest.length > MAX_LINE_CHARACTERS) {
        yield { type: 'broken', number: number + 1, cause: 'the line has no end', isFile: false };
        return;
      }
    }
  } catch (error) {
    yield brokenBy(error, number + 1);
    return;
  }
  rest = withoutMark(rest, number + 1);
  if (rest.trim() !== '') yield { type: 'line', number: number + 1, text: rest };
}
