// SPDX-License-Identifier: Apache-2.0
/**
 * Admits a connection by who made it. The file's mode says the same, but modes are changed by hand
 * and descriptors are handed on; the kernel's note of who connected cannot be.
 */
import type { Socket } from 'node:net';
import * as E from 'fp-ts/lib/Either.js';
import type { PeerCheck } from './port.js';
import { lineOf, type ErrorCode } from './protocol.js';

const ROOT_UID = 0;

const memberOf = (target: unknown, name: string): unknown =>
  typeof target === 'object' && target !== null ? Reflect.get(target, name) : undefined;

/** Node has no public way to a socket's descriptor. Undefined where a release hides it elsewhere. */
const descriptorOf = (socket: Socket): number | undefined => {
  const fd = memberOf(memberOf(socket, '_handle'), 'fd');
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
};

/** One line instead of the greeting, and the end. */
export const turnAway = (socket: Socket, code: ErrorCode, message: string): void => {
  const error = { code, message };
  socket.on('error', () => undefined);
  socket.end(lineOf({ type: 'error', id: null, error }), () => socket.destroy());
};

/** Root and the agent's own user pass. Anybody else, and who is unknown, is told and hung up on. */
export const admitPeer = (socket: Socket, { credentials, refused }: PeerCheck): boolean => {
  const fd = descriptorOf(socket);
  const peer = fd === undefined ? E.left({ code: 'no descriptor' }) : credentials(fd);
  if (E.isLeft(peer)) {
    turnAway(socket, 'not-allowed', 'not allowed: who is connecting cannot be known');
    refused(undefined, peer.left.code);
    return false;
  }
  const { uid } = peer.right;
  if (uid === ROOT_UID || uid === process.geteuid?.()) return true;
  turnAway(
    socket,
    'not-allowed',
    `not allowed: this agent serves root and its own user, not uid ${String(uid)}`,
  );
  refused(peer.right, 'neither root nor the user of the agent');
  return false;
};
