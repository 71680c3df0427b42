// SPDX-License-Identifier: Apache-2.0
/** The names of this host: users, cgroups, and whether a process is still there. */
import type { Identities } from '../attribution/ledger-entries.js';
import type { CgroupHierarchy } from '../host/cgroup-hierarchy.js';
import { systemClock } from '../host/clock.js';
import type { HostRoots } from '../host/roots.js';
import { CgroupIndex } from '../identity/cgroup-index.js';
import { CgroupWatch } from '../identity/cgroup-watch.js';
import type { CriNames } from '../identity/cri-names.js';
import { hostIdentities } from '../identity/identities.js';
import { processAlive } from '../identity/process-alive.js';
import { UserNames } from '../identity/user-names.js';
import type { Nanos } from '../model/units.js';

export interface AgentIdentities extends Identities {
  readonly isAlive: (pid: number, startBoottimeNanos: Nanos) => boolean;
  /** Looks for names that are missing; called once per window. */
  readonly refresh: () => void;
  readonly close: () => void;
}

/** Of a window of a second at least; a walk over 10,000 cgroups takes several windows then. */
const REFRESH_BUDGET_MILLIS = 2;

export const createAgentIdentities = (
  roots: HostRoots,
  { hierarchy, directory }: Pick<CgroupHierarchy, 'hierarchy' | 'directory'>,
  names?: CriNames,
): AgentIdentities => {
  const watch: CgroupWatch = new CgroupWatch({
    onCreated: (made) => {
      cgroups.created(made);
    },
  });
  const cgroups = new CgroupIndex({
    directory,
    hierarchy,
    procfs: roots.procfs,
    clock: systemClock,
    onFound: (found, isLeaf) => {
      watch.add(found, isLeaf);
    },
  });
  const users = new UserNames('/etc/passwd', systemClock);
  return {
    ...hostIdentities(users, cgroups, roots.procfs, names),
    isAlive: processAlive(roots.procfs),
    refresh: () => {
      cgroups.refresh(REFRESH_BUDGET_MILLIS);
      names?.refresh();
    },
    close: () => {
      watch.close();
      names?.close();
    },
  };
};
