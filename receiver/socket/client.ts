// SPDX-License-Identifier: Apache-2.0
/** Joins a running agent: a ReportSource whose windows come over the socket. */
import { lstat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { ReportSource } from '../model/report-source.js';
import { codeOf } from '../host/error-code.js';
import type { Complaint } from '../model/errors.js';
import { AgentLink } from './agent-link.js';
import { SOCKET_PROTOCOL } from './protocol.js';

export type JoinError =
  /** No agent there: a viewer measures itself. */
  | { readonly _tag: 'NoAgent'; readonly complaint: Complaint }
  /** One is there, but it cannot be joined: measuring beside it would be refused. */
  | { readonly _tag: 'CannotJoin'; readonly complaint: Complaint };

export interface JoinOptions {
  readonly path: string;
  /** How long a live agent may take to greet and to send its last window. */
  readonly timeoutMillis: number;
  /** Owners of a socket that is believed; root and oneself if not given. */
  readonly trustedUids?: readonly number[];
}

const rootAndOneself = (): readonly number[] => [0, process.getuid?.() ?? 0];

const REFUSAL_REMEDIES: Readonly<Record<string, string>> = {
  'not-allowed': 'run as root or as the user of the agent',
  busy: 'end viewers that nobody looks at',
};

const noAgent = (path: string, cause: string): JoinError => ({
  _tag: 'NoAgent',
  complaint: { what: `join ${path}`, cause, remedy: 'start one with wattfeed run' },
});

const cannotJoin = (path: string, cause: string, remedy: string): JoinError => ({
  _tag: 'CannotJoin',
  complaint: { what: `join ${path}`, cause, remedy },
});

const errorOfCode = (path: string, code: string): JoinError => {
  if (code === 'ENOENT') return noAgent(path, 'no agent listens there');
  if (code === 'ECONNREFUSED') return noAgent(path, 'the agent that listened there is dead');
  const remedy = code === 'EACCES' ? 'run as root or as the user of the agent' : '';
  return cannotJoin(path, code, remedy);
};

/**
 * A socket of another user could feed false numbers to root. Root's and one's own are trusted; the
 * server is protected by the file's mode, which the kernel checks at connect(2).
 */
const refuseStranger = async ({
  path,
  trustedUids = rootAndOneself(),
}: JoinOptions): Promise<JoinError | undefined> => {
  try {
    const status = await lstat(path);
    if (!status.isSocket()) return cannotJoin(path, 'not a socket', 'correct --socket');
    return trustedUids.includes(status.uid)
      ? undefined
      : cannotJoin(path, `it belongs to uid ${status.uid}`, "join only your own agent or root's");
  } catch (error) {
    return errorOfCode(path, codeOf(error, String(error)));
  }
};

const connected = async (path: string): Promise<E.Either<JoinError, Socket>> =>
  new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', (error) => {
      resolve(E.left(errorOfCode(path, codeOf(error, String(error)))));
    });
    socket.once('connect', () => {
      resolve(E.right(socket));
    });
  });

const greeted = async (
  socket: Socket,
  { path, timeoutMillis }: JoinOptions,
): Promise<E.Either<JoinError, ReportSource>> => {
  const link = new AgentLink(socket, path);
  const hello = await link.hello(timeoutMillis);
  if (hello === undefined) {
    void link.close();
    return E.left(
      link.refusal === undefined
        ? cannotJoin(path, 'it does not greet as an agent', 'correct --socket')
        : cannotJoin(path, link.refusal.message, REFUSAL_REMEDIES[link.refusal.code] ?? ''),
    );
  }
  if (hello.protocol !== SOCKET_PROTOCOL) {
    void link.close();
    const cause = `agent ${hello.agent.version} speaks protocol ${hello.protocol}, this wattfeed ${SOCKET_PROTOCOL}`;
    return E.left(cannotJoin(path, cause, "use the agent's version of wattfeed"));
  }
  if (!(await link.fetchLast(timeoutMillis))) {
    void link.close();
    return E.left(cannotJoin(path, 'it does not answer', 'see what wattfeed run says'));
  }
  return E.right(link);
};

/** Resolves when the agent has greeted and its last window, if there is one, is here. */
export const joinAgent =
  (options: JoinOptions): TE.TaskEither<JoinError, ReportSource> =>
  async () => {
    const stranger = await refuseStranger(options);
    if (stranger !== undefined) return E.left(stranger);
    const socket = await connected(options.path);
    return E.isLeft(socket) ? socket : greeted(socket.right, options);
  };
