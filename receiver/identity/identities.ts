// SPDX-License-Identifier: Apache-2.0
/** The real names behind the ledger's numbers. */
import type { Identities } from '../attribution/ledger-entries.js';
import type { CgroupIndex } from './cgroup-index.js';
import { mendedName } from './process-files.js';
import type { UserNames } from './user-names.js';

export const hostIdentities = (
  users: UserNames,
  cgroups: CgroupIndex,
  procfs: string,
): Identities => ({
  userName: (uid) => users.nameOf(uid),
  cgroupPath: (id) => cgroups.pathOf(id),
  cgroupIdentity: (id) => cgroups.identityOf(id),
  isCgroupThere: (id) => cgroups.isThere(id),
  noticeCgroup: (id, pid) => {
    cgroups.notice(id, pid);
  },
  processName: (pid, comm) => mendedName(procfs, pid, comm),
});
