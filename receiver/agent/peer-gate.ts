// SPDX-License-Identifier: Apache-2.0
/** Who may view this agent, by the addon's word on each connection; refusals are counted and told. */
import { readPeerCredentials } from '../../native/index.js';
import type { PeerCheck } from '../socket/port.js';
import type { Logger } from './logger.js';

export interface PeerGate extends PeerCheck {
  readonly refusedCount: () => number;
}

/** One warning: who tries again and again must not fill the log. */
export const createPeerGate = (logger: Logger): PeerGate => {
  let refusedCount = 0;
  return {
    credentials: readPeerCredentials,
    refused: (peer, reason) => {
      refusedCount += 1;
      const say = refusedCount === 1 ? logger.warn : logger.debug;
      say('viewer refused', { reason, ...(peer && { pid: peer.pid, uid: peer.uid }) });
    },
    refusedCount: () => refusedCount,
  };
};
