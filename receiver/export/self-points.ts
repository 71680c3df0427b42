// SPDX-License-Identifier: Apache-2.0
/** The data points by which the agent reports on itself. */
import type { Attributes } from '@opentelemetry/api';
import { domainAttributes } from './labels.js';
import type { AccountingStats } from '../model/activity.js';
import type { DomainStep, WindowReport } from '../model/window.js';
import { nanos, secondsOf, windowNanos } from '../model/units.js';
import { attributeName } from './attributes.js';
import type { ExportCounts } from './export-counts.js';
import type { MetricSet } from './metric-set.js';
import type { SelfView } from './self-view.js';
import type { StreamTable } from './stream-table.js';

/** Names on the wire, as in `enum acct_stat`; a loss is what an operator should be woken for. */
const ACCOUNTING_NAMES: readonly [keyof AccountingStats, name: string, isLoss: boolean][] = [
  ['switches', 'switches', false],
  ['forks', 'forks', false],
  ['exits', 'exits', false],
  ['flushes', 'flushes', false],
  ['cgroupMoves', 'cgroup_moves', false],
  ['storageMisses', 'storage_miss', true],
  ['slotsExhausted', 'slots_exhausted', true],
  ['discontinuities', 'discontinuity', true],
  ['storageFailed', 'storage_failed', true],
  ['overflowCgroupFull', 'overflow_cgroup_full', true],
];

const STATES = ['ok', 'first', 'rejected', 'failed'] as const;

const stateOf = (step: DomainStep): (typeof STATES)[number] => {
  switch (step._tag) {
    case 'Advanced':
      return 'ok';
    case 'First':
      return 'first';
    case 'Rejected':
      return 'rejected';
    case 'Failed':
      return 'failed';
  }
};

export const addSelfPoints = (
  set: MetricSet,
  table: StreamTable,
  self: SelfView,
  window: WindowReport,
): void => {
  addWindow(set, table, self, window);
  addSourceStates(set, window);
  addModel(set, self, window);
  addAccounting(set, table, self);
  addPrograms(set, table, self);
  addSpin(set, table, self);
  addAgent(set, table, self);
};

const addWindow = (
  set: MetricSet,
  table: StreamTable,
  self: SelfView,
  window: WindowReport,
): void => {
  table.add(set, 'windowCount', 'count', BigInt(self.windowCount()));
  set.set('windowDuration', secondsOf(nanos(window.endNanos - window.startNanos)));
  set.set('windowLateness', secondsOf(windowNanos(self.takeMaxLatenessNanos())));
  for (const [stage, stageNanos] of Object.entries(self.stageNanos())) {
    table.add(set, 'windowStageTime', 'nanos', stageNanos, { [attributeName('stage')]: stage });
  }
  set.set('slotsUsed', window.slotsUsed);
  set.set('slotsLimit', window.slotsLimit);
};

const addSourceStates = (set: MetricSet, window: WindowReport): void => {
  for (const { domain, step } of window.readings) {
    const present = stateOf(step);
    for (const state of STATES) {
      set.set('sourceState', state === present ? 1 : 0, {
        ...domainAttributes(domain),
        [attributeName('source')]: domain.source,
        [attributeName('state')]: state,
      });
    }
  }
};

const COEFFICIENTS = ['prior', 'calibrated', 'modelled'] as const;

const addModel = (set: MetricSet, self: SelfView, window: WindowReport): void => {
  for (const { packageId, label, nrmse, priorNrmse } of self.calibration()) {
    const of = (coefficients: (typeof COEFFICIENTS)[number]): Attributes => ({
      [attributeName('package')]: packageId,
      [attributeName('coefficients')]: coefficients,
    });
    for (const one of COEFFICIENTS) set.set('modelState', one === label ? 1 : 0, of(one));
    if (priorNrmse !== undefined) set.set('modelError', priorNrmse, of('prior'));
    if (label === 'calibrated' && nrmse !== undefined)
      set.set('modelError', nrmse, of('calibrated'));
  }
  for (const { domain, countedShare } of window.balances)
    set.set('countedRatio', countedShare, { [attributeName('hwId')]: domain.id });
};

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const addAccounting = (set: MetricSet, table: StreamTable, self: SelfView): void => {
  const accounting = self.accounting();
  for (const [key, name, isLoss] of ACCOUNTING_NAMES) {
    const instrument = isLoss ? 'accountingLosses' : 'accountingEvents';
    table.add(set, instrument, 'count', accounting[key], { [attributeName('event')]: name });
  }
  for (const [name, count] of Object.entries(self.losses())) {
    if (name in accounting) continue;
    const event = { [attributeName('event')]: snakeCase(name) };
    table.add(set, 'accountingLosses', 'count', BigInt(count), event);
  }
};

const addPrograms = (set: MetricSet, table: StreamTable, self: SelfView): void => {
  for (const { name, runCount, runTimeNanos, recursionMisses } of self.programs()) {
    const attributes = { [attributeName('program')]: name };
    table.add(set, 'bpfRunTime', 'nanos', runTimeNanos, attributes);
    table.add(set, 'bpfRuns', 'count', runCount, attributes);
    table.add(set, 'bpfRecursionMisses', 'count', recursionMisses, attributes);
  }
};

const addSpin = (set: MetricSet, table: StreamTable, self: SelfView): void => {
  const active = new Map<string, number>();
  for (const thread of self.spin()) {
    const { kind, energy, time, isActive } = thread;
    const attributes = {
      [attributeName('processPid')]: thread.pid,
      [attributeName('processExecutableName')]: thread.processName,
      [attributeName('threadId')]: thread.tid,
      [attributeName('threadName')]: thread.threadName,
      [attributeName('spinKind')]: kind,
    };
    table.add(set, 'spinEnergy', 'microjoules', energy, attributes);
    table.add(set, 'spinTime', 'nanos', time, attributes);
    active.set(kind, (active.get(kind) ?? 0) + (isActive ? 1 : 0));
  }
  for (const [kind, count] of active)
    set.set('spinActive', count, { [attributeName('spinKind')]: kind });
};

const addAgent = (set: MetricSet, table: StreamTable, self: SelfView): void => {
  const { userNanos, systemNanos, residentBytes } = self.agentProcess();
  const mode = attributeName('cpuMode');
  table.add(set, 'agentCpuTime', 'nanos', userNanos, { [mode]: 'user' });
  table.add(set, 'agentCpuTime', 'nanos', systemNanos, { [mode]: 'system' });
  set.set('agentMemory', residentBytes);
};

export interface LevelCounts {
  readonly level: string;
  readonly seriesCount: number;
  readonly pooledCount: number;
  readonly regressions: number;
  readonly finalsDropped: number;
}

/** How exporting itself went, up to the export before this one. */
export const addExportPoints = (
  set: MetricSet,
  table: StreamTable,
  counts: ExportCounts,
  levels: readonly LevelCounts[],
): void => {
  const result = attributeName('result');
  table.add(set, 'exportPoints', 'count', counts.delivered, { [result]: 'delivered' });
  table.add(set, 'exportPoints', 'count', counts.dropped, { [result]: 'dropped' });
  table.add(set, 'exportPoints', 'count', counts.rejected, { [result]: 'rejected' });
  for (const [reason, count] of counts.failures) {
    table.add(set, 'exportFailures', 'count', count, { [attributeName('reason')]: reason });
  }
  table.add(set, 'exportRebuilds', 'count', counts.rebuilds);
  for (const { level, seriesCount, pooledCount } of levels) {
    set.set('exportSeries', seriesCount, { [attributeName('level')]: level });
    set.set('exportPooled', pooledCount, { [attributeName('level')]: level });
  }
  addAnomalies(set, table, counts, levels);
};

const addAnomalies = (
  set: MetricSet,
  table: StreamTable,
  counts: ExportCounts,
  levels: readonly LevelCounts[],
): void => {
  const event = attributeName('event');
  const sum = (pick: (level: LevelCounts) => number): bigint =>
    BigInt(levels.reduce((total, level) => total + pick(level), 0));
  const regressions = sum((level) => level.regressions);
  const finalsDropped = sum((level) => level.finalsDropped);
  table.add(set, 'exportAnomalies', 'count', regressions, { [event]: 'regression' });
  table.add(set, 'exportAnomalies', 'count', finalsDropped, { [event]: 'final_dropped' });
  table.add(set, 'exportAnomalies', 'count', counts.collectFailures, { [event]: 'collect_failed' });
};
