// SPDX-License-Identifier: Apache-2.0
/**
 * Where attributed joules come from, as attributes. Each attributed point carries `wattfeed.origin` and
 * `wattfeed.split`; both are part of the series' identity, so a change ends one series and begins another
 * and no joule is ever shown under a label that it did not have.
 */
import type { Attributes } from '@opentelemetry/api';
import type { AttributedKind, EnergyDomain, SplitMethod } from '../model/energy-domain.js';
import type { DomainTotals } from '../model/ledger-view.js';
import { attributeName } from './attributes.js';
import type { Measure, MeasureLabels } from './lane.js';

const SEPARATOR = '/';
/** What is claimed of several packages is what holds for all of them. */
const WEAKEST_FIRST: readonly SplitMethod[] = ['rss', 'time', 'seed', 'counters'];
/** CPU time is measured by the kernel; there is nothing to label. */
const CPU_LABEL = '';

/** The label of one kind; the weaker claim wins where several packages differ. */
const labelOf = (kind: AttributedKind, domains: readonly DomainTotals[]): string | undefined => {
  const own = domains.filter(({ domain }) => domain.isAttributed && domain.kind === kind);
  if (own.length === 0) return undefined;
  const isModelled = own.some(({ domain }) => domain.origin === 'modelled');
  const weakest = WEAKEST_FIRST.find((method) => own.some(({ split }) => split === method));
  return [isModelled ? 'modelled' : 'measured', weakest ?? 'time'].join(SEPARATOR);
};

export const measureLabels = (
  domains: readonly DomainTotals[],
  hasCpuTime: boolean,
): MeasureLabels => ({
  package: labelOf('package', domains),
  dram: labelOf('dram', domains),
  cpu: hasCpuTime ? CPU_LABEL : undefined,
});

/** The attributes that a measure and its label add to an entity's identity. */
export const labelAttributes = (measure: Measure, label: string): Attributes => {
  if (measure === 'cpu') return {};
  const [origin = '', split = ''] = label.split(SEPARATOR);
  return {
    [attributeName('domain')]: measure,
    [attributeName('origin')]: origin,
    [attributeName('split')]: split,
  };
};

/** What names one energy counter and does not change while the agent runs. */
export const domainAttributes = (domain: EnergyDomain): Attributes => ({
  [attributeName('hwId')]: domain.id,
  [attributeName('domain')]: domain.kind,
  [attributeName('origin')]: domain.origin,
});
