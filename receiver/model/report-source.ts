// SPDX-License-Identifier: Apache-2.0
/**
 * Where a viewer gets its windows from. Two real instances: the socket client (an agent runs) and
 * own measuring (none does). A viewer cannot tell them apart except by `origin`, which it shows.
 */
import type { AgentReport } from './agent-report.js';
import type { ExplainTarget, Explanation } from './explanation.js';
import type { Complaint } from './errors.js';
import type { TraceSink } from './trace-sink.js';

export type SourceOrigin =
  | {
      readonly _tag: 'Joined';
      readonly agentPid: number;
      readonly agentVersion: string;
      readonly socketPath: string;
    }
  | { readonly _tag: 'Own' };

export interface SourceOptions {
  /**
   * Window wanted by the viewer. Own measuring changes its window; a joined agent keeps its own
   * and the viewer sums windows up.
   */
  readonly intervalMillis?: number;
  /** Pid whose threads reports should carry; undefined: none. */
  readonly threadsOf?: number | undefined;
}

/** Called once per window, in order. `skippedWindows`: lost to this viewer since the last call. */
export type ReportListener = (report: AgentReport, skippedWindows: number) => void;

export interface ReportSource {
  readonly origin: SourceOrigin;
  /** The last finished window; undefined before the first. */
  readonly latest: () => AgentReport | undefined;
  /** Returns the function that ends the subscription. */
  readonly subscribe: (listener: ReportListener) => () => void;
  /** Called once, with one line for the user, when no window will ever come again. Not on `close`. */
  readonly onEnd: (listener: (reason: Complaint) => void) => () => void;
  /** Only the fields given are changed. */
  readonly setOptions: (options: SourceOptions) => void;
  /**
   * How an entity came to its joules, out of one of the next windows. Undefined: nobody knows such an
   * entity, or no window will come (`onEnd` then says why).
   */
  readonly explain: (target: ExplainTarget) => Promise<Explanation | undefined>;
  /**
   * The windows themselves from the next one on, until `close`; own measuring then hands over its last
   * one first. Undefined: that is so; else why it cannot be.
   */
  readonly record: (sink: TraceSink) => Complaint | undefined;
  /** Ends the subscription; own measuring detaches everything. Twice is fine. */
  readonly close: () => Promise<void>;
}
