// SPDX-License-Identifier: Apache-2.0
/** A trace as a file, gzip by suffix; `-` is standard output. Whatever happens, what was written can be read. */
import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { constants, createGzip, type Gzip } from 'node:zlib';
import * as E from 'fp-ts/lib/Either.js';
import { codeOf } from '../host/error-code.js';
import type { Complaint } from '../model/errors.js';

export interface TraceWriter {
  /** Of what is not written yet. */
  readonly backlogBytes: () => number;
  readonly write: (line: string) => void;
  /** Of JSON, before compression. */
  readonly bytes: () => number;
  /** Undefined while all is well. */
  readonly failure: () => Complaint | undefined;
  /** Called once if writing fails. */
  readonly onFailure: (listener: (complaint: Complaint) => void) => void;
  /** All is on its way to the disk when it resolves. */
  readonly close: () => Promise<Complaint | undefined>;
}

export interface WriterOptions {
  readonly path: string;
  readonly stdout: Writable;
  /** An existing file is replaced. */
  readonly isForced: boolean;
}

/** A trace names every process of the host. */
const OWNER_ONLY = 0o600;
/** A killed recorder loses no more than so many lines of a compressed file. */
const FLUSH_LINES = 10;

const complaintOf = (path: string, error: unknown): Complaint => {
  const code = codeOf(error, error instanceof Error ? error.message : String(error));
  return {
    what: `write ${path}`,
    cause: code === 'EEXIST' ? 'it exists already' : code,
    remedy: code === 'EEXIST' ? 'give another name, or --force' : '',
  };
};

class FileWriter implements TraceWriter {
  #bytes = 0;
  #lines = 0;
  #failure: Complaint | undefined;
  #listener: ((complaint: Complaint) => void) | undefined;
  readonly #path: string;
  readonly #gzip: Gzip | undefined;
  readonly #end: Writable;
  readonly #isOurs: boolean;

  constructor(path: string, end: Writable, isOurs: boolean) {
    this.#path = path;
    this.#end = end;
    this.#isOurs = isOurs;
    this.#gzip = path.endsWith('.gz') ? createGzip() : undefined;
    this.#gzip?.pipe(end);
    end.on('error', (error) => this.#fail(error));
  }

  backlogBytes(): number {
    return (this.#gzip?.writableLength ?? 0) + this.#end.writableLength;
  }

  write(line: string): void {
    if (this.#failure !== undefined) return;
    const text = `${line}\n`;
    this.#bytes += Buffer.byteLength(text);
    this.#lines += 1;
    (this.#gzip ?? this.#end).write(text);
    if (this.#lines % FLUSH_LINES === 0) this.#gzip?.flush(constants.Z_SYNC_FLUSH);
  }

  bytes(): number {
    return this.#bytes;
  }

  failure(): Complaint | undefined {
    return this.#failure;
  }

  onFailure(listener: (complaint: Complaint) => void): void {
    this.#listener = listener;
  }

  async close(): Promise<Complaint | undefined> {
    if (this.#failure !== undefined) return this.#failure;
    try {
      if (this.#gzip !== undefined) this.#gzip.end();
      else if (this.#isOurs) this.#end.end();
      if (this.#isOurs) await finished(this.#end);
    } catch (error) {
      this.#fail(error);
    }
    return this.#failure;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = complaintOf(this.#path, error);
    this.#listener?.(this.#failure);
  }
}

export const openTraceWriter = async ({
  path,
  stdout,
  isForced,
}: WriterOptions): Promise<E.Either<Complaint, TraceWriter>> => {
  if (path === '-') return E.right(new FileWriter(path, stdout, false));
  try {
    const file = await open(path, isForced ? 'w' : 'wx', OWNER_ONLY);
    return E.right(new FileWriter(path, file.createWriteStream(), true));
  } catch (error) {
    return E.left(complaintOf(path, error));
  }
};
