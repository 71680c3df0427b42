// SPDX-License-Identifier: Apache-2.0
/** Writes what a source hands over, counts it, and ends the file so that it is whole. */
import { secondsOf, nanos } from '../model/units.js';
import type { TraceItem, TraceSink } from '../model/trace-sink.js';
import type { TraceWriter } from './writer.js';

/** The disk may be behind by so much before windows are left out. */
const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

export class Recorder implements TraceSink {
  public windows = 0;
  public skippedWindows = 0;
  private firstEndNanos: bigint | undefined;
  private lastEndNanos = 0n;

  public constructor(
    private readonly writer: TraceWriter,
    private readonly onWindow: (seconds: number) => void,
  ) {}

  public canTake(): boolean {
    return this.writer.backlogBytes() < MAX_BACKLOG_BYTES;
  }

  public take({ type, json, endNanos }: TraceItem): void {
    this.writer.write(json);
    if (type === 'gap') this.skippedWindows += 1;
    if (endNanos === undefined) return;
    this.windows += 1;
    this.firstEndNanos ??= endNanos;
    this.lastEndNanos = endNanos;
    this.onWindow(this.seconds());
  }

  /** From the first window's end on: that one is the baseline of the counters. */
  public seconds(): number {
    return secondsOf(nanos(this.lastEndNanos - (this.firstEndNanos ?? this.lastEndNanos)));
  }

  public finish(): void {
    this.writer.write(JSON.stringify({ type: 'end', windows: this.windows }));
  }
}
