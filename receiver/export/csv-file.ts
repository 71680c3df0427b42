// SPDX-License-Identifier: Apache-2.0
/**
 * A CSV file for those without a backend: appended once per interval, and rotated by size to `.1`, `.2`, …
 * A full disk costs rows, not the agent: what could not be written is in the next rows' sums.
 */
import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { codeOf } from '../host/error-code.js';
import { complaintText } from '../model/errors.js';
import type { LedgerView } from '../model/ledger-view.js';
import { CSV_HEADER, CsvRows } from './csv-rows.js';

export interface CsvOptions {
  readonly path: string;
  readonly intervalMillis: number;
  readonly maxBytes: number;
  /** Rotated files kept beside the one that grows. */
  readonly keptFiles: number;
}

export interface CsvPorts {
  readonly ledger: LedgerView;
  readonly nowMillis: () => number;
  readonly unixMillis: () => number;
  readonly say: (text: string) => void;
  /** Rows are made now; returns what is to be done once they are written: the ended may be forgotten. */
  readonly takeEnded: () => () => void;
}

const MILLIS_PER_SECOND = 1_000;
const FILE_MODE = 0o640;

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
};

export class CsvFile {
  readonly #rows = new CsvRows();
  #lastMillis: number;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #unwritten = '';
  #hasComplained = false;

  constructor(
    private readonly options: CsvOptions,
    private readonly ports: CsvPorts,
  ) {
    this.#lastMillis = ports.nowMillis();
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), this.options.intervalMillis);
  }

  /** Everything since the last time. Never rejects. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#append());
    return this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #append(): Promise<void> {
    const { ledger, nowMillis, unixMillis } = this.ports;
    const now = nowMillis();
    const seconds = (now - this.#lastMillis) / MILLIS_PER_SECOND;
    this.#lastMillis = now;
    const time = new Date(unixMillis()).toISOString();
    const forgetEnded = this.ports.takeEnded();
    const text = this.#unwritten + this.#rows.next(ledger, time, seconds).join('');
    try {
      await this.#rotate();
      const header = (await sizeOf(this.options.path)) === 0 ? CSV_HEADER : '';
      await appendFile(this.options.path, header + text, { mode: FILE_MODE });
      this.#unwritten = '';
      this.#hasComplained = false;
      forgetEnded();
    } catch (error) {
      // Bounded: a disk that stays full must not fill the memory.
      this.#unwritten = text.length < this.options.maxBytes ? text : '';
      this.#complain(codeOf(error, String(error)));
    }
  }

  async #rotate(): Promise<void> {
    const { path, maxBytes, keptFiles } = this.options;
    if ((await sizeOf(path)) < maxBytes) return;
    await rm(`${path}.${String(keptFiles)}`, { force: true });
    for (let index = keptFiles - 1; index >= 1; index -= 1) {
      if ((await sizeOf(`${path}.${String(index)}`)) > 0)
        await rename(`${path}.${String(index)}`, `${path}.${String(index + 1)}`);
    }
    if (keptFiles > 0) await rename(path, `${path}.1`);
    else await rm(path, { force: true });
  }

  #complain(cause: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.ports.say(
      complaintText({
        what: `write ${this.options.path}`,
        cause,
        remedy: 'measuring goes on; free some space or choose another export.csv_file',
      }),
    );
  }
}
