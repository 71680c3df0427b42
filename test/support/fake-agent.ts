// SPDX-License-Identifier: Apache-2.0
/** An agent whose windows the test decides: the port of the socket server, no more. */
import type { AgentReport } from '../../receiver/model/agent-report.js';
import * as E from 'fp-ts/lib/Either.js';
import type { Explanation } from '../../receiver/model/explanation.js';
import type { PeerCheck, ViewedAgent } from '../../receiver/socket/port.js';

export interface FakeAgent extends ViewedAgent {
  readonly publish: (report: AgentReport) => void;
  readonly subscriberCount: () => number;
  readonly watchedThreads: () => readonly number[];
  /** What the next question is answered with. */
  explanation: Explanation | undefined;
}

export const fakeAgent = (first?: AgentReport): FakeAgent => {
  let latest = first;
  const listeners = new Set<(report: AgentReport) => void>();
  const watched: number[] = [];
  return {
    version: '0.1.0',
    last: async () => Promise.resolve(latest),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watchThreads: (pid) => {
      watched.push(pid);
      return () => {
        watched.splice(watched.indexOf(pid), 1);
      };
    },
    record: () => undefined,
    explanation: undefined,
    async explain() {
      return Promise.resolve(this.explanation);
    },
    publish: (report) => {
      latest = report;
      for (const listener of listeners) listener(report);
    },
    subscriberCount: () => listeners.size,
    watchedThreads: () => watched,
  };
};

/** What the kernel would say of every connection, and how often one was refused. */
export const fakePeers = (
  said: ReturnType<PeerCheck['credentials']> = E.right({ pid: 1, uid: 0, gid: 0 }),
): PeerCheck & { readonly refusals: readonly string[] } => {
  const refusals: string[] = [];
  return {
    credentials: () => said,
    refused: (peer, reason) => refusals.push(`${String(peer?.uid)}: ${reason}`),
    refusals,
  };
};
