// SPDX-License-Identifier: Apache-2.0
/** Between who has the windows and who keeps them as a trace. */

/** One record of docs/trace-format.md as it stands in a file. */
export interface TraceItem {
  readonly type: string;
  /** Without the newline. */
  readonly json: string;
  /** Of a window. */
  readonly endNanos: bigint | undefined;
}

/** One recorder, as its source sees it. */
export interface TraceSink {
  /** False: it is behind; windows are left out and told as a gap. */
  readonly canTake: () => boolean;
  readonly take: (item: TraceItem) => void;
}
