// SPDX-License-Identifier: Apache-2.0
/** Where there is no host to ask (a replay, a simulation): numbers stand for themselves. */
import type { CgroupIdentity } from '../model/workload.js';
import type { Identities } from './ledger-entries.js';

const JUST_A_CGROUP: CgroupIdentity = {
  kind: 'cgroup',
  rule: 'cgroup',
  rules: [],
  container: undefined,
  outerContainers: [],
  pod: undefined,
  job: undefined,
  unit: undefined,
  slice: undefined,
  sliceUid: undefined,
  isHelper: false,
};

export const UNNAMED: Identities = {
  userName: (uid) => String(uid),
  cgroupPath: (id) => `/${String(id)}`,
  cgroupIdentity: () => JUST_A_CGROUP,
  isCgroupThere: () => true,
  noticeCgroup: () => undefined,
  processName: (_, comm) => comm,
};
