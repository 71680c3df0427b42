// SPDX-License-Identifier: Apache-2.0
/** The data points of the energy counters: what each measured, and what of it belongs to no task. */
import type { Attributes } from '@opentelemetry/api';
import type { EnergyDomain } from '../model/energy-domain.js';
import { COVERAGE_KINDS, type DomainTotals } from '../model/ledger-view.js';
import { meanWatts } from '../model/units.js';
import type { MeterBalance } from '../model/window.js';
import { attributeName } from './attributes.js';
import { domainAttributes } from './labels.js';
import type { MetricSet } from './metric-set.js';
import type { StreamTable } from './stream-table.js';

export const addDomainPoints = (
  set: MetricSet,
  table: StreamTable,
  domains: readonly DomainTotals[],
): void => {
  for (const totals of domains) {
    addMeasured(set, table, totals);
    addWindows(set, table, totals);
    addCoverage(set, table, totals);
    if (totals.domain.isAttributed) addUnassigned(set, table, totals);
  }
};

/** Nothing for a meter whose packages or DRAM were not read in the window: a missing value is not zero. */
export const addMeterPoints = (set: MetricSet, meters: readonly MeterBalance[]): void => {
  for (const { domain, restMicrojoules, spanNanos } of meters) {
    if (restMicrojoules === undefined || spanNanos <= 0n) continue;
    set.set('restPower', meanWatts(restMicrojoules, spanNanos), {
      [attributeName('hwId')]: domain.id,
      [attributeName('hwName')]: domain.name,
    });
  }
};

const hardwareAttributes = (domain: EnergyDomain): Attributes => ({
  ...domainAttributes(domain),
  [attributeName('hwName')]: domain.name,
  [attributeName('source')]: domain.source,
});

const addMeasured = (set: MetricSet, table: StreamTable, totals: DomainTotals): void => {
  const { domain, acceptedMicrojoules } = totals;
  const attributes = hardwareAttributes(domain);
  if (domain.kind === 'platform') {
    // The conventions forbid hw.energy for it: sums over hw.energy would count it twice.
    table.add(set, 'hwHostEnergy', 'microjoules', acceptedMicrojoules, attributes);
    return;
  }
  attributes[attributeName('hwType')] = domain.kind === 'dram' ? 'memory' : 'cpu';
  if (domain.parentId !== undefined) attributes[attributeName('hwParent')] = domain.parentId;
  table.add(set, 'hwEnergy', 'microjoules', acceptedMicrojoules, attributes);
};

const addUnassigned = (set: MetricSet, table: StreamTable, totals: DomainTotals): void => {
  const attributes = domainAttributes(totals.domain);
  table.add(set, 'idleEnergy', 'microjoules', totals.idleMicrojoules, attributes);
  table.add(set, 'irqEnergy', 'microjoules', totals.irqMicrojoules, attributes);
  if (totals.igpuMicrojoules > 0n)
    table.add(set, 'igpuEnergy', 'microjoules', totals.igpuMicrojoules, attributes);
  for (const [reason, energyMicrojoules] of totals.unattributed) {
    const withReason = { ...attributes, [attributeName('reason')]: reason };
    table.add(set, 'unattributedEnergy', 'microjoules', energyMicrojoules, withReason);
  }
};

const addCoverage = (set: MetricSet, table: StreamTable, totals: DomainTotals): void => {
  for (const kind of COVERAGE_KINDS) {
    table.add(set, 'coverageTime', 'nanos', totals.coverage[kind], {
      [attributeName('hwId')]: totals.domain.id,
      [attributeName('result')]: kind,
    });
  }
};

const addWindows = (set: MetricSet, table: StreamTable, totals: DomainTotals): void => {
  const count = (result: string, windows: number, reason?: string): void => {
    table.add(set, 'sourceWindows', 'count', BigInt(windows), {
      [attributeName('hwId')]: totals.domain.id,
      [attributeName('result')]: result,
      ...(reason === undefined ? {} : { [attributeName('reason')]: reason }),
    });
  };
  count('accepted', totals.windowsAccepted);
  for (const [reason, windows] of totals.windowsRejected) count('rejected', windows, reason);
  for (const [reason, windows] of totals.windowsFailed) count('failed', windows, reason);
};
