// SPDX-License-Identifier: Apache-2.0
/** Plays windows through the real attribution into a real ledger. */
import { attribute } from '../../receiver/attribution/attribute.js';
import type { Identities } from '../../receiver/attribution/ledger-entries.js';
import type { LedgerLimits } from '../../receiver/attribution/ledger-limits.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';
import type { HostTopology } from '../../receiver/model/host-topology.js';
import type { Watts } from '../../receiver/model/units.js';
import type { DomainReading } from '../../receiver/model/window.js';
import { BOOT_UNIX_MILLIS, topologyOf } from './windows.js';

export const plainIdentities: Identities = {
  userName: (uid) => `user${String(uid)}`,
  cgroupPath: (id) => `/cg${String(id)}`,
  noticeCgroup: () => undefined,
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
