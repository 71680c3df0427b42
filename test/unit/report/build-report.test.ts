// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { attribute } from '../../../receiver/attribution/attribute.js';
import { NO_STATS, windowReport } from '../../../receiver/attribution/window-report.js';
import { meterBalances } from '../../../receiver/attribution/meters.js';
import type { ActivityWindow } from '../../../receiver/model/activity.js';
import type { SplitMethod } from '../../../receiver/model/energy-domain.js';
import type { DomainTotals } from '../../../receiver/model/ledger-view.js';
import { watts, ZERO_MICROJOULES, nanos } from '../../../receiver/model/units.js';
import type { DomainReading, DomainStep } from '../../../receiver/model/window.js';
import { buildReport, labelOf, type ReportSource } from '../../../receiver/report/build-report.js';
import { stateText } from '../../../receiver/report/domain-rows.js';
import { newLedger } from '../../support/ledger.js';
import {
  activityWindow,
  advancedReading,
  cpuSample,
  dramDomain,
  packageDomain,
  platformDomain,
  taskSample,
  topologyOf,
} from '../../support/windows.js';

const POWERCAP: ReportSource = {
  origin: 'measured',
  kinds: ['powercap'],
  isGuess: false,
  text: 'measured (powercap)',
};

/** The report after the last of some windows. */
const reportAfter = (
  windows: readonly (readonly [ActivityWindow, readonly DomainReading[]])[],
  { source = POWERCAP, limits = {}, packageCount = 1 } = {},
) => {
  const ledger = newLedger(limits);
  ledger.setThreadsEnabled(true);
  const idleFloors = new Map([['intel-rapl:0', watts(2)]]);
  let last = undefined;
  for (const [window, readings] of windows) {
    const topology = topologyOf(packageCount);
    const attribution = attribute({ window, readings, topology, idleFloors });
    ledger.book(window, readings, attribution);
    last = windowReport(window, readings, attribution, meterBalances(readings));
  }
  if (last === undefined) throw new Error('no window');
  return buildReport({
    window: last,
    ledger,
    agent: { pid: 42, version: '0.1.0', startedUnixMillis: 5, hostName: 'host' },
    source,
    cpuCount: 4,
    slotBytes: 256,
    losses: { decodeErrors: 3 },
  });
};

const tasks = [
  taskSample({
    tgid: 7,
    processComm: 'busy',
    uid: 1000,
    cgroupId: 9n,
    parentTgid: 3,
    runtimeNanos: 1_500_000_000,
  }),
];

const twoSeconds = (index: bigint, fields: Parameters<typeof activityWindow>[0] = {}) =>
  activityWindow({
    index,
    startNanos: index * 2_000_000_000n,
    endNanos: (index + 1n) * 2_000_000_000n,
    tasks,
    ...fields,
  });

const SPAN = 2_000_000_000;
const moving = [
  advancedReading(packageDomain(), 10_000_000, SPAN),
  advancedReading(dramDomain(), 4_000_000, SPAN),
  advancedReading(platformDomain(), 9_000_000, SPAN),
];

describe('buildReport', () => {
  it('gives power of the last window and energy since start', () => {
    const report = reportAfter([
      [twoSeconds(1n), moving],
      [twoSeconds(2n), moving],
    ]);
    expect(report.processes).toEqual([
      {
        pid: 7,
        parentPid: 3,
        startUnixMillis: report.processes[0]?.startUnixMillis,
        name: 'busy',
        user: 'user1000',
        uid: 1000,
        cgroup: '/cg9',
        threadCount: 1,
        isKernelThread: false,
        isExited: false,
        packageWatts: 3,
        dramWatts: 2,
        packageJoules: 12,
        dramJoules: 8,
        cpuRatio: 0.75,
        cpuSeconds: 3,
      },
    ]);
    expect(report.cgroups).toMatchObject([{ id: '9', path: '/cg9', packageJoules: 12 }]);
    expect(report.threads).toMatchObject([{ tid: 7, pid: 7, packageWatts: 3 }]);
    expect(report.names).toMatchObject([{ name: 'busy', packageJoules: 12 }]);
    expect(report.users).toMatchObject([{ uid: 1000, user: 'user1000', dramJoules: 8 }]);
  });

  it('takes power over the time that the energy is of, which a failed window makes longer', () => {
    const late = [
      advancedReading(packageDomain(), 20_000_000, 2 * SPAN),
      advancedReading(dramDomain(), 4_000_000, SPAN),
    ];
    const report = reportAfter([[twoSeconds(1n), late]]);
    expect(report.processes[0]).toMatchObject({ packageWatts: 3, dramWatts: 2, cpuRatio: 0.75 });
  });

  it('shows no power of a process that did nothing in the last window', () => {
    const report = reportAfter([
      [twoSeconds(1n), moving],
      [twoSeconds(2n, { tasks: [] }), moving],
    ]);
    expect(report.processes[0]).toMatchObject({
      packageWatts: 0,
      cpuRatio: 0,
      packageJoules: 3 * 2,
    });
  });

  it('says where each domain’s energy went, as strings that add up', () => {
    const [pkg] = reportAfter([[twoSeconds(1n), moving]]).domains;
    expect(pkg).toMatchObject({
      id: 'intel-rapl:0',
      state: 'ok',
      split: 'time',
      watts: 5,
      idleWatts: 2,
      irqWatts: 0,
      unattributedWatts: 0,
      acceptedMicrojoules: '10000000',
      entitiesMicrojoules: '6000000',
      idleMicrojoules: '4000000',
      irqMicrojoules: '0',
      unattributedMicrojoules: '0',
    });
  });

  it('keeps a domain that failed in the list, without a power', () => {
    const failed: DomainReading = {
      domain: packageDomain(),
      step: { _tag: 'Failed', reason: 'permission', detail: 'EACCES' },
    };
    const [pkg] = reportAfter([
      [twoSeconds(1n), moving],
      [twoSeconds(2n), [failed]],
    ]).domains;
    expect(pkg).toMatchObject({
      state: 'failed: permission (EACCES)',
      watts: null,
      idleWatts: null,
      acceptedMicrojoules: '10000000',
    });
  });

  it('knows no energy of a kind that the machine does not measure', () => {
    const pkg = reportAfter([[twoSeconds(1n), moving.slice(0, 1)]]);
    const absent = { dramWatts: null, dramJoules: null };
    expect(pkg.processes).toMatchObject([{ packageWatts: 3, packageJoules: 6, ...absent }]);
    const sums = [pkg.exitedProcesses, pkg.overflowProcesses, pkg.overflowCgroups];
    for (const row of [...pkg.cgroups, ...pkg.threads, ...(pkg.users ?? []), ...sums]) {
      expect(row).toMatchObject(absent);
    }
    const dram = reportAfter([[twoSeconds(1n), moving.slice(1)]]);
    expect(dram.processes).toMatchObject([
      { packageWatts: null, packageJoules: null, dramWatts: 2, dramJoules: 4 },
    ]);
    const none = reportAfter([[twoSeconds(1n), moving.slice(2)]]);
    expect(none.processes).toMatchObject([
      { packageWatts: null, packageJoules: null, ...absent, cpuSeconds: 1.5 },
    ]);
  });

  it.each<DomainStep>([
    { _tag: 'First' },
    { _tag: 'Failed', reason: 'permission', detail: 'EACCES' },
    { _tag: 'Rejected', reason: 'reset', detail: '' },
  ])('knows no power but keeps the total of a window in which DRAM is $_tag', (step) => {
    const silent = [
      advancedReading(packageDomain(), 10_000_000, SPAN),
      { domain: dramDomain(), step },
    ];
    const report = reportAfter([
      [twoSeconds(1n), moving],
      [twoSeconds(2n), silent],
    ]);
    expect(report.processes).toMatchObject([
      { packageWatts: 3, packageJoules: 12, dramWatts: null, dramJoules: 4 },
    ]);
    expect(report.exitedProcesses).toMatchObject({
      packageWatts: 0,
      dramWatts: null,
      dramJoules: 0,
    });
  });

  it('knows of a power only what a silent domain does not hide', () => {
    const onFirst = taskSample({ tgid: 7, processComm: 'seen', runtimeNanos: 1_000_000_000 });
    const onSecond = taskSample({
      tgid: 8,
      processComm: 'hidden',
      cpuDomain: 1,
      runtimeNanos: 1_000_000_000,
    });
    const readings: readonly DomainReading[] = [
      advancedReading(packageDomain(), 10_000_000, SPAN),
      {
        domain: packageDomain(1),
        step: { _tag: 'Failed', reason: 'permission', detail: 'EACCES' },
      },
    ];
    const report = reportAfter([[twoSeconds(1n, { tasks: [onFirst, onSecond] }), readings]], {
      packageCount: 2,
    });
    expect(report.processes).toMatchObject([
      { name: 'seen', packageWatts: 3, packageJoules: 6 },
      { name: 'hidden', packageWatts: null, packageJoules: 0 },
    ]);
  });

  it('shows a meter, and a negative rest as the contradiction that it is', () => {
    const { meters, domains } = reportAfter([[twoSeconds(1n), moving]]);
    expect(meters).toEqual([
      { id: 'intel-rapl:psys', name: 'psys', watts: 4.5, restWatts: -2.5, joules: 9 },
    ]);
    expect(domains[2]).toMatchObject({
      kind: 'platform',
      split: null,
      idleWatts: null,
      acceptedMicrojoules: '9000000',
      entitiesMicrojoules: null,
      idleMicrojoules: null,
      irqMicrojoules: null,
      unattributedMicrojoules: null,
    });
    const silent = reportAfter([
      [twoSeconds(1n), moving],
      [twoSeconds(2n), []],
    ]);
    expect(silent.meters[0]).toMatchObject({ watts: null, restWatts: null, joules: 9 });
  });

  it('tells unknown steal from none', () => {
    const steal = (stealNanos: number | undefined) =>
      reportAfter([[twoSeconds(1n, { cpus: [cpuSample({ stealNanos })] }), []]]).host.stealRatio;
    expect(steal(undefined)).toBeNull();
    expect(steal(0)).toBe(0);
    expect(steal(800_000_000)).toBe(0.1);
  });

  it('reports the accounting with every loss, its own and those it is told of', () => {
    const stats = { ...NO_STATS, switches: 500, storageMisses: 2 };
    const { accounting } = reportAfter([
      [twoSeconds(1n, { cpus: [cpuSample({ stats })], slotsUsed: 12, slotsLimit: 256 }), []],
    ]);
    expect(accounting).toMatchObject({
      slotsUsed: 12,
      slotsLimit: 256,
      slotBytes: 256,
      switchesPerSecond: 250,
      losses: { storageMisses: 2, decodeErrors: 3, inconsistentBalances: 0 },
    });
  });

  it('is JSON, without a bigint or an undefined value', () => {
    const report = reportAfter([[twoSeconds(1n), moving]]);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});

describe('labelOf', () => {
  const totalsOf = (kind: 'package' | 'dram', split: SplitMethod): DomainTotals => ({
    domain: kind === 'dram' ? dramDomain() : packageDomain(),
    split,
    acceptedMicrojoules: ZERO_MICROJOULES,
    coverage: { accounted: nanos(0n), agent_down: nanos(0n), gap: nanos(0n) },
    entitiesMicrojoules: ZERO_MICROJOULES,
    idleMicrojoules: ZERO_MICROJOULES,
    irqMicrojoules: ZERO_MICROJOULES,
    igpuMicrojoules: ZERO_MICROJOULES,
    countedShare: 0,
    unattributed: new Map(),
    windowsAccepted: 0,
    windowsRejected: new Map(),
    windowsFailed: new Map(),
  });

  it('says source and split', () => {
    expect(labelOf(POWERCAP, [])).toBe('measured (powercap), split by CPU time');
  });

  it('says a guess is a guess, and what to do', () => {
    const text = 'modelled (guess: set energy.model, see wattfeed check)';
    const guess: ReportSource = { origin: 'modelled', kinds: ['model'], isGuess: true, text };
    expect(labelOf(guess, [])).toBe(text);
  });

  it('claims no split where there is no source', () => {
    const none: ReportSource = { ...POWERCAP, kinds: [], text: 'no energy source' };
    expect(labelOf(none, [])).toBe('no energy source');
  });

  it('tells the splits of packages and memory apart where they differ', () => {
    expect(labelOf(POWERCAP, [totalsOf('package', 'time'), totalsOf('dram', 'counters')])).toBe(
      'measured (powercap), split by CPU time, memory by counters',
    );
  });
});

describe('stateText', () => {
  it('names each outcome with its reason', () => {
    expect(stateText({ _tag: 'First' })).toBe('first');
    expect(stateText({ _tag: 'Rejected', reason: 'reset', detail: '' })).toBe('rejected: reset');
    expect(stateText(undefined)).toBe('absent');
  });
});
