// SPDX-License-Identifier: Apache-2.0
/** An agent whose windows the test decides: the port of the socket server, no more. */
import type { AgentReport } from '../../receiver/model/agent-report.js';
import type { ViewedAgent } from '../../receiver/socket/port.js';

export interface FakeAgent extends ViewedAgent {
  readonly publish: (report: AgentReport) => void;
  readonly subscriberCount: () => number;
  readonly watchedThreads: () => readonly number[];
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
    publish: (report) => {
      latest = report;
      for (const listener of listeners) listener(report);
    },
    subscriberCount: () => listeners.size,
    watchedThreads: () => watched,
  };
};
