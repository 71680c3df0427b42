// SPDX-License-Identifier: Apache-2.0
/** Serves the agent's windows to viewers on a unix socket. */
import { createServer, type Server } from 'node:net';
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { AgentReport } from '../model/agent-report.js';
import type { Complaint } from '../model/errors.js';
import { claimSocketPath, complaintOfListen } from './socket-path.js';
import { cgroupDetail, processDetail } from './detail.js';
import { admitPeer, turnAway } from './peer.js';
import type { PeerCheck, ViewedAgent } from './port.js';
import {
  lineOf,
  reportLine,
  traceLine,
  type EntityDetail,
  type RequestId,
  type ViewerRequest,
} from './protocol.js';
import { viewerOn, type Subscription, type Viewer, type ViewerHost } from './viewer.js';

export interface ReportServer {
  readonly path: string;
  readonly viewerCount: () => number;
  /** Tells each viewer why, hangs up, removes the socket file. Twice is fine. */
  readonly close: (reason: string) => Promise<void>;
}

/** Viewers are people and scripts on one host; more than this is a loop that forgets to hang up. */
export const MAX_VIEWERS = 64;
/** These are told why, and hung up on; what comes beyond them meanwhile is closed without a word. */
const MAX_TURNED_AWAY = 64;
const OWNER_ONLY_UMASK = 0o177;

/** Makes a window's JSON once per set of threads asked for, however many viewers ask. */
const jsonOfWindow = (report: AgentReport): ((threadsOf: number | undefined) => string) => {
  const made = new Map<number | undefined, string>();
  return (threadsOf) => {
    const known = made.get(threadsOf);
    if (known !== undefined) return known;
    const threads = report.threads.filter(({ pid }) => pid === threadsOf);
    const json = JSON.stringify({ ...report, threads });
    made.set(threadsOf, json);
    return json;
  };
};

/** The viewers and the one subscription at the agent that serves them all. */
class Viewers implements ViewerHost {
  readonly version: string;
  readonly #agent: ViewedAgent;
  readonly #viewers = new Set<Viewer>();
  #unsubscribe: (() => void) | undefined;

  constructor(agent: ViewedAgent) {
    this.#agent = agent;
    this.version = agent.version;
  }

  add(viewer: Viewer): void {
    this.#viewers.add(viewer);
  }

  get count(): number {
    return this.#viewers.size;
  }

  closed(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    this.#follow();
  }

  async endAll(reason: string): Promise<void> {
    await Promise.all([...this.#viewers].map((viewer) => viewer.end(reason)));
  }

  async answer(viewer: Viewer, request: ViewerRequest): Promise<string> {
    const id = request.id ?? null;
    switch (request.request) {
      case 'last':
        return this.#last(id);
      case 'subscribe':
        viewer.subscription = this.#subscriptionOf(id, request.threadsOf);
        this.#follow();
        return lineOf({ type: 'done', id });
      case 'record':
        return this.#record(viewer, id);
      case 'unsubscribe':
        viewer.subscription = undefined;
        viewer.recording = undefined;
        this.#follow();
        return lineOf({ type: 'done', id });
      case 'detail':
        return this.#detail(id, request);
      case 'explain':
        return this.#explain(id, request);
    }
  }

  #subscriptionOf(id: RequestId | null, threadsOf: number | undefined): Subscription {
    const release = threadsOf === undefined ? () => undefined : this.#agent.watchThreads(threadsOf);
    return { id, threadsOf, release };
  }

  /** Subscribed at the agent exactly while a viewer is: it need not wake for nobody. */
  #follow(): void {
    const isWanted = [...this.#viewers].some(({ subscription }) => subscription !== undefined);
    if (isWanted && this.#unsubscribe === undefined) {
      this.#unsubscribe = this.#agent.subscribe((report) => {
        const json = jsonOfWindow(report);
        for (const viewer of this.#viewers) {
          if (viewer.subscription) viewer.offer(json(viewer.subscription.threadsOf));
        }
      });
    } else if (!isWanted) {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  /** `done` comes before the first record: what a viewer is answered is in its order. */
  #record(viewer: Viewer, id: RequestId | null): string {
    const records: string[] = [];
    let isAnswered = false;
    viewer.recording = this.#agent.record({
      canTake: () => viewer.canTakeTrace(),
      take: ({ json }) => {
        if (isAnswered) viewer.sendTrace(json);
        else records.push(traceLine(json));
      },
    });
    isAnswered = true;
    return viewer.recording === undefined
      ? lineOf({
          type: 'error',
          id,
          error: { code: 'failed', message: 'others record already; each costs the agent' },
        })
      : lineOf({ type: 'done', id }) + records.join('');
  }

  async #last(id: RequestId | null): Promise<string> {
    const report = await this.#agent.last();
    return reportLine(id, 0, report === undefined ? 'null' : jsonOfWindow(report)(undefined));
  }

  async #detail(
    id: RequestId | null,
    { pid, cgroup }: { pid?: number | undefined; cgroup?: string | undefined },
  ): Promise<string> {
    if ((pid === undefined) === (cgroup === undefined)) {
      const message = 'detail needs either pid or cgroup';
      return lineOf({ type: 'error', id, error: { code: 'bad-request', message } });
    }
    const report = await this.#agent.last();
    const detail = report && this.#detailOf(report, pid, cgroup);
    return detail === undefined
      ? lineOf({
          type: 'error',
          id,
          error: { code: 'not-found', message: 'the last window knows no such entity' },
        })
      : lineOf({ type: 'detail', id, detail });
  }

  async #explain(
    id: RequestId | null,
    { pid, cgroup }: { pid?: number | undefined; cgroup?: string | undefined },
  ): Promise<string> {
    if ((pid === undefined) === (cgroup === undefined)) {
      const message = 'explain needs either pid or cgroup';
      return lineOf({ type: 'error', id, error: { code: 'bad-request', message } });
    }
    const target = pid === undefined ? { cgroup: cgroup ?? '/' } : { pid };
    const explanation = (await this.#agent.explain(target)) ?? null;
    return lineOf({ type: 'explanation', id, explanation });
  }

  #detailOf(
    report: AgentReport,
    pid: number | undefined,
    cgroup: string | undefined,
  ): EntityDetail | undefined {
    return pid === undefined ? cgroupDetail(report, cgroup ?? '/') : processDetail(report, pid);
  }
}

/** Binds with the mode it will have: between bind and chmod others could connect. */
const listenPrivately = async (server: Server, path: string): Promise<E.Either<Complaint, void>> =>
  new Promise((resolve) => {
    server.once('error', (error) => {
      resolve(E.left(complaintOfListen(path, error)));
    });
    server.once('listening', () => {
      resolve(E.right(undefined));
    });
    const umask = process.umask(OWNER_ONLY_UMASK);
    // The bind happens inside this call, only the event comes later.
    server.listen(path);
    process.umask(umask);
  });

/**
 * Listens at `path` (mode 0600; its directory 0755, made if missing). The file of a dead agent is
 * replaced, that of a live one is not: Left names its pid. `peers` is asked about each connection.
 */
export const serveReports = (
  path: string,
  agent: ViewedAgent,
  peers: PeerCheck,
): TE.TaskEither<Complaint, ReportServer> => {
  const viewers = new Viewers(agent);
  // Who asks and says that it asks no more (`echo … | socat`) still wants the answer.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (!admitPeer(socket, peers)) return;
    if (viewers.count < MAX_VIEWERS) return viewers.add(viewerOn(socket, viewers));
    turnAway(socket, 'busy', `${MAX_VIEWERS} viewers are connected, and no more are served`);
    peers.refused(undefined, 'as many viewers as are served');
  });
  server.maxConnections = MAX_VIEWERS + MAX_TURNED_AWAY;
  let closing: Promise<void> | undefined;
  const close = async (reason: string): Promise<void> => {
    const hasStopped = new Promise<void>((resolve) => server.close(() => resolve()));
    await viewers.endAll(reason);
    await hasStopped;
  };
  return pipe(
    claimSocketPath(path),
    TE.flatMap(() => async () => listenPrivately(server, path)),
    TE.map((): ReportServer => ({
      path,
      viewerCount: () => viewers.count,
      close: (reason) => (closing ??= close(reason)),
    })),
  );
};
