// SPDX-License-Identifier: Apache-2.0
/** The ledger's entries as rows of a report: watts of the last window beside totals since start. */
import type {
  CgroupRow,
  EnergyRow,
  NameRow,
  ProcessRow,
  ThreadRow,
  UserRow,
} from '../model/agent-report.js';
import type { AttributedKind, EnergyDomain } from '../model/energy-domain.js';
import type {
  CgroupTotals,
  DomainTotals,
  NameTotals,
  ProcessTotals,
  Rated,
  Remainder,
  ThreadTotals,
  UserTotals,
} from '../model/ledger-view.js';
import { joulesOf, meanWatts, nanos, secondsOf } from '../model/units.js';
import type { Microjoules, Nanos } from '../model/units.js';
import type { WindowReport } from '../model/window.js';

/**
 * What the last window can say of one kind of energy. `absent`: no domain of it is attributed on this
 * machine. `silent`: at least one of its domains gave no energy in the window (first reading,
 * failed, rejected). `whole`: all of them did.
 */
export type KindState = 'absent' | 'silent' | 'whole';

export interface RowWindow {
  /** Length of the last window, over which its CPU time is a ratio. */
  readonly spanNanos: Nanos;
  /** Over which its energy is a power: as the counter was read, without windows that it missed. */
  readonly energySpanNanos: Readonly<Record<AttributedKind, Nanos>>;
  readonly kinds: Readonly<Record<AttributedKind, KindState>>;
  /** Memory is predicted, packages are measured. */
  readonly isDramPredicted: boolean;
}

const isPredicted = (domains: readonly DomainTotals[]): boolean => {
  const attributed = domains.filter(({ domain }) => domain.isAttributed);
  const origins = (isWanted: (domain: EnergyDomain) => boolean): ReadonlySet<string> =>
    new Set(attributed.flatMap(({ domain }) => (isWanted(domain) ? [domain.origin] : [])));
  return origins(isDram).has('modelled') && origins((domain) => !isDram(domain)).has('measured');
};

const isDram = ({ kind }: EnergyDomain): boolean => kind === 'dram';

const kindState = (
  kind: AttributedKind,
  window: WindowReport,
  domains: readonly DomainTotals[],
): KindState => {
  const attributed = domains.filter(
    ({ domain }) => domain.isAttributed && isDram(domain) === (kind === 'dram'),
  );
  if (attributed.length === 0) return 'absent';
  const gave = new Set(window.balances.map(({ domain }) => domain.id));
  return attributed.every(({ domain }) => gave.has(domain.id)) ? 'whole' : 'silent';
};

const energySpan = (kind: AttributedKind, window: WindowReport): Nanos => {
  const balances = window.balances.filter(({ domain }) => isDram(domain) === (kind === 'dram'));
  const [first, ...others] = balances.map(({ spanNanos, missedNanos }) =>
    nanos(spanNanos - missedNanos),
  );
  return others.reduce(
    (longest, span) => (span > longest ? span : longest),
    first ?? nanos(window.endNanos - window.startNanos),
  );
};

export const rowWindow = (window: WindowReport, domains: readonly DomainTotals[]): RowWindow => ({
  spanNanos: nanos(window.endNanos - window.startNanos),
  energySpanNanos: { package: energySpan('package', window), dram: energySpan('dram', window) },
  kinds: {
    package: kindState('package', window, domains),
    dram: kindState('dram', window, domains),
  },
  isDramPredicted: isPredicted(domains),
});

const powerOf = (
  energy: Microjoules,
  state: KindState,
  spanNanos: Nanos,
): EnergyRow['packageWatts'] =>
  state === 'absent' || (state === 'silent' && energy === 0n) ? null : meanWatts(energy, spanNanos);

export const energyRow = (
  { energy, cpuNanos, lastWindow }: Rated<Remainder>,
  { spanNanos, energySpanNanos, kinds, isDramPredicted }: RowWindow,
): EnergyRow => ({
  packageWatts: powerOf(lastWindow.energy.package, kinds.package, energySpanNanos.package),
  dramWatts: powerOf(lastWindow.energy.dram, kinds.dram, energySpanNanos.dram),
  packageJoules: kinds.package === 'absent' ? null : joulesOf(energy.package),
  dramJoules: kinds.dram === 'absent' ? null : joulesOf(energy.dram),
  cpuRatio: spanNanos > 0n ? lastWindow.cpuNanos / Number(spanNanos) : 0,
  cpuSeconds: secondsOf(cpuNanos),
  ...(isDramPredicted ? { isDramPredicted: true } : {}),
});

export const processRow = (process: Rated<ProcessTotals>, window: RowWindow): ProcessRow => {
  const { identity } = process;
  return {
    ...energyRow(process, window),
    pid: identity.pid,
    parentPid: identity.parentPid,
    startUnixMillis: identity.startUnixMillis,
    name: identity.name,
    user: identity.user,
    uid: identity.uid,
    cgroup: identity.cgroupPath,
    threadCount: process.threadCount,
    isKernelThread: identity.isKernelThread,
    isExited: process.isExited,
  };
};

export const cgroupRow = (cgroup: Rated<CgroupTotals>, window: RowWindow): CgroupRow => ({
  ...energyRow(cgroup, window),
  id: String(cgroup.id),
  path: cgroup.path,
});

export const threadRow = (thread: Rated<ThreadTotals>, window: RowWindow): ThreadRow => ({
  ...energyRow(thread, window),
  tid: thread.identity.tid,
  pid: thread.identity.pid,
  name: thread.identity.name,
});

export const nameRow = (totals: Rated<NameTotals>, window: RowWindow): NameRow => ({
  ...energyRow(totals, window),
  name: totals.name,
});

export const userRow = (totals: Rated<UserTotals>, window: RowWindow): UserRow => ({
  ...energyRow(totals, window),
  uid: totals.uid,
  user: totals.user,
});
