// SPDX-License-Identifier: Apache-2.0
/** Plays windows through the real attribution into a real ledger. */
import { expect } from 'vitest';
import { attribute } from '../../receiver/attribution/attribute.js';
import type { Identities } from '../../receiver/attribution/ledger-entries.js';
import type { LedgerLimits } from '../../receiver/attribution/ledger-limits.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { resolveCgroup } from '../../receiver/identity/resolve-cgroup.js';
import type { ActivityWindow, TaskSample } from '../../receiver/model/activity.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import type { Watts } from '../../receiver/model/units.js';
import type { CgroupIdentity } from '../../receiver/model/workload.js';
import type { DomainReading } from '../../receiver/model/window.js';
import {
  activityWindow,
  advancedReading,
  BOOT_UNIX_MILLIS,
  packageDomain,
  topologyOf,
} from './windows.js';

const known = new Map<string, CgroupIdentity>();

/** What a path stands for, always the same object. */
export const identityNamed = (path: string): CgroupIdentity => {
  const identity = known.get(path) ?? resolveCgroup(path);
  known.set(path, identity);
  return identity;
};

export const plainIdentities: Identities = {
  userName: (uid) => `user${String(uid)}`,
  cgroupPath: (id) => `/cg${String(id)}`,
  cgroupIdentity: (id) => identityNamed(`/cg${String(id)}`),
  isCgroupThere: () => true,
  noticeCgroup: () => undefined,
  processName: (_, comm) => comm,
};

/** The agent of all tests started one second after boot. */
export const LEDGER_START_UNIX_MILLIS = BOOT_UNIX_MILLIS + 1_000;

export const newLedger = (
  limits: Partial<LedgerLimits> = {},
  identities: Identities = plainIdentities,
): Ledger => new Ledger({ startUnixMillis: LEDGER_START_UNIX_MILLIS, limits }, identities);

export const play = (
  ledger: Ledger,
  window: ActivityWindow,
  readings: readonly DomainReading[] = [],
  {
    topology = topologyOf(),
    idleFloors = new Map(),
  }: { topology?: HostTopology; idleFloors?: ReadonlyMap<string, Watts | undefined> } = {},
): void => {
  ledger.book(window, readings, attribute({ window, readings, topology, idleFloors }));
};

/** One window in which the package burns `microjoules`, split among the tasks by their time. */
export const burn = (
  ledger: Ledger,
  microjoules: number,
  tasks: readonly TaskSample[],
  index = 1n,
): void => {
  play(ledger, activityWindow({ index, tasks }), [advancedReading(packageDomain(), microjoules)]);
  expect(ledger.verify()).toEqual([]);
};

export const processesOf = (ledger: Ledger) => [...ledger.processes()];
/** The ledger's one process. */
export const only = (ledger: Ledger) => {
  const [first, ...others] = processesOf(ledger);
  expect(others).toEqual([]);
  if (first === undefined) throw new Error('no process');
  return first;
};
