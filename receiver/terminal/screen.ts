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

export interface Screen {
  readonly viewport: () => Viewport;
  /** Lines beyond the viewport are left out. */
  readonly draw: (lines: readonly Line[]) => void;
  /** Forgets what is on the screen: the next draw writes all of it. */
  readonly invalidate: () => void;
  readonly leave: () => void;
  readonly enter: () => void;
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

export const openScreen = ({ stdin, stdout, paint, onKey, onResize }: ScreenOptions): Screen => {
  const keyboard = isRawCapable(stdin) && stdin.isTTY ? stdin : undefined;
  let shown: string[] = [];
  let isEntered = false;
  const onData = (chunk: Buffer | string): void => {
    for (const key of decodeKeys(chunk.toString())) onKey(key);
  };
  const resized = (): void => {
    shown = [];
    stdout.write(CLEAR);
    onResize();
  };
  // The last resort, for an end that nobody foresaw: streams no longer write in 'exit'.
  const onExit = (): void => {
    if (isEntered) writeSync(STDOUT_FD, LEAVE);
  };
  const enter = (): void => {
    if (isEntered) return;
    isEntered = true;
    shown = [];
    stdout.write(ENTER + CLEAR);
    stdout.on('resize', resized);
    keyboard?.setRawMode(true);
    keyboard?.on('data', onData).resume();
    process.once('exit', onExit);
  };
  const leave = (): void => {
    if (!isEntered) return;
    isEntered = false;
    process.removeListener('exit', onExit);
    stdout.removeListener('resize', resized);
    keyboard?.removeListener('data', onData).pause();
    keyboard?.setRawMode(false);
    stdout.write(LEAVE);
  };
  const viewport = (): Viewport => ({
    columns: stdout.columns > 0 ? stdout.columns : FALLBACK.columns,
    rows: stdout.rows > 0 ? stdout.rows : FALLBACK.rows,
  });
  const draw = (lines: readonly Line[]): void => {
    if (!isEntered) return;
    const { columns, rows } = viewport();
    const painted = Array.from({ length: rows }, (_, row) =>
      paint(clipLine(lines[row] ?? [], columns)),
    );
    const changes = painted.map((line, row) =>
      line === shown[row] ? '' : at(row) + line + ERASE_REST_OF_LINE,
    );
    shown = painted;
    const output = changes.join('');
    if (output !== '') stdout.write(output);
  };
  return { viewport, draw, enter, leave, invalidate: () => (shown = []) };
};
