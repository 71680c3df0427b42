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
  | { readonly type: 'broken'; readonly number: number; readonly cause: string };

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

const causeOf = (error: unknown): string => {
  const code = codeOf(error, error instanceof Error ? error.message : String(error));
  return CAUSES[code] ?? code;
};

export async function* traceLines(path: string, stdin: Readable): AsyncGenerator<TraceItem> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let number = 0;
  try {
    for await (const chunk of bytesOf(open(path, stdin))) {
      rest += decoder.write(chunk);
      let from = 0;
      for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n', from)) {
        number += 1;
        const text = rest.slice(from, at);
        from = at + 1;
        if (text.trim() !== '') yield { type: 'line', number, text };
      }
      rest = rest.slice(from);
      if (rest.length > MAX_LINE_CHARACTERS) {
        yield { type: 'broken', number: number + 1, cause: 'the line has no end' };
        return;
      }
    }
  } catch (error) {
    yield { type: 'broken', number: number + 1, cause: causeOf(error) };
    return;
  }
  if (rest.trim() !== '') yield { type: 'line', number: number + 1, text: rest };
}
