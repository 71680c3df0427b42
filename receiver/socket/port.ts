// SPDX-License-Identifier: Apache-2.0
/** What the socket server needs from the agent and from the kernel. */
import type * as E from 'fp-ts/lib/Either.js';
import type { ExplainTarget, Explanation } from '../model/explanation.js';
import type { TraceSink } from '../model/trace-sink.js';
import type { AgentReport } from '../model/agent-report.js';

export interface ViewedAgent {
  readonly version: string;
  /**
   * The last finished window; undefined before the first. Asynchronous, because an agent that
   * hands windows over in batches has to fetch it.
   */
  readonly last: () => Promise<AgentReport | undefined>;
  /** Every window from now on. The server subscribes once, and only while some viewer does. */
  readonly subscribe: (listener: (report: AgentReport) => void) => () => void;
  /** Reports carry this process's threads until the returned function is called. */
  readonly watchThreads: (pid: number) => () => void;
  /** Windows themselves, for a recording; undefined: too many record already. */
  readonly record: (sink: TraceSink) => (() => void) | undefined;
  /** Undefined: no such entity. Takes until the end of a window in which it ran. */
  readonly explain: (target: ExplainTarget) => Promise<Explanation | undefined>;
}

/** SO_PEERCRED: who called connect(2), noted by the kernel then. */
export interface PeerCredentials {
  /** 0: in a pid namespace that the agent does not see. */
  readonly pid: number;
  /** Effective, as the agent's user namespace sees it. */
  readonly uid: number;
  readonly gid: number;
}

/** Who may view: the kernel's word on a connection, and where a refusal is told. */
export interface PeerCheck {
  /** Of the accepted connection with this descriptor; Left: it cannot be known. */
  readonly credentials: (fd: number) => E.Either<{ readonly code: string }, PeerCredentials>;
  /** Called for each connection that was refused. `peer`: undefined where it cannot be known. */
  readonly refused: (peer: PeerCredentials | undefined, reason: string) => void;
}
