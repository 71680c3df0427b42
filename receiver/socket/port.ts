// SPDX-License-Identifier: Apache-2.0
/** What the socket server needs from the agent. */
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
}
