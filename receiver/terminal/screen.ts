// SPDX-License-Identifier: Apache-2.0
/** The alternate screen of a terminal: draws what changed, and gives the terminal back as it was. */
import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import { decodeKeys, type Key } from './keys.js';
import { clipLine, type Line, type Painter } from './line.js';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';
/** tty.WriteStream has no typed descriptor; only the process's own output is ever a screen. */
const STDOUT_FD = 1;
const CLEAR = '\x1b[2J';
const ERASE_REST_OF_LINE = '\x1b[K';
const at = (row: number): string => `\x1b[${row + 1};1H`;

export interface Viewport {
  readonly columns: number;
  readonly rows: number;
}

/** Where there is no size (a serial line), the size of a VT100. */
const FALLBACK: Viewport = { columns: 80, rows: 24 };

const isRawCapable = (stdin: unknown): stdin is ReadStream =>
  typeof stdin === 'object' && stdin !== null && 'setRawMode' in stdin && 'isTTY' in stdin;

export interface ScreenOptions {
  readonly stdin: unknown;
  readonly stdout: WriteStream;
  readonly paint: Painter;
  readonly onKey: (key: Key) => void;
  readonly onResize: () => void;
}

export class Screen {
  #shown: readonly string[] = [];
  #isEntered = false;
  readonly #keyboard: ReadStream | undefined;
  readonly #stdout: WriteStream;
  readonly #paint: Painter;
  readonly #onData: (chunk: Buffer | string) => void;
  readonly #onResize: () => void;
  // The last resort, for an end that nobody foresaw: streams no longer write in 'exit'.
  readonly #onExit = (): void => {
    if (this.#isEntered) writeSync(STDOUT_FD, LEAVE);
  };

  constructor({ stdin, stdout, paint, onKey, onResize }: ScreenOptions) {
    this.#keyboard = isRawCapable(stdin) && stdin.isTTY ? stdin : undefined;
    this.#stdout = stdout;
    this.#paint = paint;
    this.#onData = (chunk) => {
      for (const key of decodeKeys(chunk.toString())) onKey(key);
    };
    this.#onResize = () => {
      this.invalidate();
      stdout.write(CLEAR);
      onResize();
    };
  }

  viewport(): Viewport {
    const { columns, rows } = this.#stdout;
    return {
      columns: columns > 0 ? columns : FALLBACK.columns,
      rows: rows > 0 ? rows : FALLBACK.rows,
    };
  }

  enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    this.invalidate();
    this.#stdout.write(ENTER + CLEAR);
    this.#stdout.on('resize', this.#onResize);
    this.#keyboard?.setRawMode(true);
    this.#keyboard?.on('data', this.#onData).resume();
    process.once('exit', this.#onExit);
  }

  /** Twice is fine. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.removeListener('exit', this.#onExit);
    this.#stdout.removeListener('resize', this.#onResize);
    this.#keyboard?.removeListener('data', this.#onData).pause();
    this.#keyboard?.setRawMode(false);
    this.#stdout.write(LEAVE);
  }

  /** Forgets what is on the screen: the next draw writes all of it. */
  invalidate(): void {
    this.#shown = [];
  }

  /** Writes the lines that changed. Lines beyond the viewport are left out. */
  draw(lines: readonly Line[]): void {
    if (!this.#isEntered) return;
    const { columns, rows } = this.viewport();
    const painted = Array.from({ length: rows }, (_, row) =>
      this.#paint(clipLine(lines[row] ?? [], columns)),
    );
    const changes = painted.map((line, row) =>
      line === this.#shown[row] ? '' : at(row) + line + ERASE_REST_OF_LINE,
    );
    this.#shown = painted;
    const output = changes.join('');
    if (output !== '') this.#stdout.write(output);
  }
}
