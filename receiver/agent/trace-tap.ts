// SPDX-License-Identifier: Apache-2.0
/** Hands the windows themselves to recorders, with what was made of them. Costs nothing while nobody records. */
import type { ActivityWindow } from '../model/activity.js';
import type { TraceItem, TraceSink } from '../model/trace-sink.js';
import { formatRecord } from '../trace/parse-line.js';
import { WindowEncoder, type TraceNames } from '../trace/encode-window.js';
import { pipelineStateJson } from '../trace/pipeline-state.js';
import type { AnyRecord, HeaderRecord } from '../trace/wire.js';
import type { Pipeline, PipelineResult, PipelineState } from './pipeline.js';

export interface TraceTapParts {
  readonly header: () => HeaderRecord;
  readonly pipeline: Pick<Pipeline, 'state'>;
  readonly names: TraceNames;
  /** Somebody began or ended recording: windows are then wanted one by one. */
  readonly onChange: () => void;
}

interface Recorder {
  readonly sink: TraceSink;
  readonly encoder: WindowEncoder;
  skippedWindows: number;
  /** After the last window that was left out. */
  state: PipelineState | undefined;
}

/** Each costs the agent the encoding of every window. */
export const MAX_RECORDERS = 4;

const itemOf = (record: AnyRecord): TraceItem => ({
  type: record.type,
  json: formatRecord(record),
  endNanos: record.type === 'window' ? BigInt(record.endNanos) : undefined,
});

const stateItem = (state: PipelineState): TraceItem => ({
  type: 'state',
  json: `{"type":"state","pipeline":${pipelineStateJson(state)}}`,
  endNanos: undefined,
});

export class TraceTap {
  readonly #parts: TraceTapParts;
  readonly #recorders = new Set<Recorder>();

  constructor(parts: TraceTapParts) {
    this.#parts = parts;
  }

  get isActive(): boolean {
    return this.#recorders.size > 0;
  }

  /** Between two windows. Returns the function that ends it; undefined: there are too many. */
  readonly attach = (sink: TraceSink): (() => void) | undefined => {
    if (this.#recorders.size >= MAX_RECORDERS) return undefined;
    const { header, pipeline, names, onChange } = this.#parts;
    const encoder = new WindowEncoder(names);
    const recorder: Recorder = { sink, encoder, skippedWindows: 0, state: undefined };
    sink.take(itemOf(header()));
    sink.take(stateItem(pipeline.state()));
    this.#recorders.add(recorder);
    onChange();
    return () => {
      if (this.#recorders.delete(recorder)) onChange();
    };
  };

  /** After the window was attributed and its names were looked for. */
  offer(window: ActivityWindow, { attribution, input }: PipelineResult): void {
    for (const recorder of this.#recorders) {
      const { sink, encoder } = recorder;
      if (!sink.canTake()) {
        recorder.skippedWindows += 1;
        recorder.state = this.#parts.pipeline.state();
        continue;
      }
      if (recorder.state !== undefined) {
        sink.take(itemOf({ type: 'gap', windows: recorder.skippedWindows }));
        sink.take(stateItem(recorder.state));
        recorder.state = undefined;
        recorder.skippedWindows = 0;
      }
      sink.take(itemOf(encoder.encode(window, { ...attribution, input })));
    }
  }
}
