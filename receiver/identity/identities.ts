// SPDX-License-Identifier: Apache-2.0
/** The real names behind the ledger's numbers. */
import type { Identities } from '../attribution/ledger-entries.js';
import type { CgroupIndex } from './cgroup-index.js';
import type { CriNames } from './cri-names.js';
import { mendedName } from './process-files.js';
import type { UserNames } from './user-names.js';

export const hostIdentities = (
  users: UserNames,
  cgroups: CgroupIndex,
  procfs: string,
  names: Pick<CriNames, 'named'> | undefined,
): Identities => ({
  userName: (uid) => users.nameOf(uid),
  cgroupPath: (id) => cgroups.pathOf(id),
  cgroupIdentity: (id) => {
    const identity = cgroups.identityOf(id);
    return identity && names ? names.named(identity) : identity;
  },
  isCgroupThere: (id) => cgroups.isThere(id),
  noticeCgroup: (id, pid) => {
    cgroups.notice(id, pid);
  },
  processName: (pid, comm) => mendedName(procfs, pid, comm),
});
