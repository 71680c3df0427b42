// SPDX-License-Identifier: Apache-2.0
/** Where there is no host to ask (a replay, a simulation): numbers stand for themselves. */
import { PLAIN_CGROUP } from '../model/workload.js';
import type { Identities } from './ledger-entries.js';

export const UNNAMED: Identities = {
  userName: (uid) => String(uid),
  cgroupPath: (id) => `/${String(id)}`,
  cgroupIdentity: () => PLAIN_CGROUP,
  isCgroupThere: () => true,
  noticeCgroup: () => undefined,
  processName: (_, comm) => comm,
};
