// SPDX-License-Identifier: Apache-2.0
/** Energy domains and meters as rows of a report. A value that is not known is null, never zero. */
import type { DomainRow, MeterRow } from '../model/agent-report.js';
import { printedDomain } from '../model/energy-domain.js';
import { assertNever } from '../model/errors.js';
import type { DomainTotals } from '../model/ledger-view.js';
import { joulesOf, meanWatts, microjoules, NANOS_PER_SECOND } from '../model/units.js';
import type { Microjoules, Nanos } from '../model/units.js';
import type { DomainBalance, DomainStep, WindowReport } from '../model/window.js';

const withDetail = (text: string, detail: string): string =>
  detail === '' ? text : `${text} (${detail})`;

/** `ok`, `first`, `rejected: reset (…)`, `failed: permission (EACCES)`; `absent`: not read this time. */
export const stateText = (step: DomainStep | undefined): string => {
  if (step === undefined) return 'absent';
  switch (step._tag) {
    case 'First':
      return 'first';
    case 'Advanced':
      return 'ok';
    case 'Rejected':
      return withDetail(`rejected: ${step.reason}`, step.detail);
    case 'Failed':
      return withDetail(`failed: ${step.reason}`, step.detail);
    default:
      return assertNever(step);
  }
};

const sumOf = (parts: Iterable<Microjoules>): Microjoules => {
  let sum = 0n;
  for (const part of parts) sum += part;
  return microjoules(sum);
};

const domainWatts = (step: DomainStep | undefined): number | null =>
  step?._tag === 'Advanced' ? meanWatts(step.deltaMicrojoules, step.spanNanos) : null;

const domainRow = (
  totals: DomainTotals,
  step: DomainStep | undefined,
  balance: DomainBalance | undefined,
): DomainRow => {
  const { domain } = totals;
  const watts = (part: (seen: DomainBalance) => Microjoules): number | null =>
    balance === undefined ? null : meanWatts(part(balance), balance.spanNanos);
  const share = (energy: Microjoules): string | null =>
    domain.isAttributed ? String(energy) : null;
  return {
    ...printedDomain(domain),
    split: domain.isAttributed ? totals.split : null,
    ...(domain.isAttributed ? { countedShare: totals.countedShare } : {}),
    state: stateText(step),
    watts: domainWatts(step),
    idleWatts: watts(({ idleMicrojoules }) => idleMicrojoules),
    irqWatts: watts(({ irqMicrojoules }) => irqMicrojoules),
    igpuWatts: watts(({ igpuMicrojoules }) => igpuMicrojoules),
    unattributedWatts: watts(({ unattributed }) => sumOf(unattributed.values())),
    acceptedMicrojoules: String(totals.acceptedMicrojoules),
    entitiesMicrojoules: share(totals.entitiesMicrojoules),
    idleMicrojoules: share(totals.idleMicrojoules),
    irqMicrojoules: share(totals.irqMicrojoules),
    igpuMicrojoules: share(totals.igpuMicrojoules),
    unattributedMicrojoules: share(sumOf(totals.unattributed.values())),
  };
};

/** One row per domain that was ever read. */
export const domainRows = (
  window: WindowReport,
  domains: readonly DomainTotals[],
): readonly DomainRow[] => {
  const steps = new Map(window.readings.map(({ domain, step }) => [domain.id, step] as const));
  const balances = new Map(window.balances.map((balance) => [balance.domain.id, balance] as const));
  return domains.map((totals) =>
    domainRow(totals, steps.get(totals.domain.id), balances.get(totals.domain.id)),
  );
};

/**
 * One row per whole-machine meter; watts null in a window in which it said nothing. A negative rest is
 * a contradiction between the sources, and is shown.
 */
export const meterRows = (
  window: WindowReport,
  domains: readonly DomainTotals[],
): readonly MeterRow[] => {
  const balances = new Map(window.meters.map((meter) => [meter.domain.id, meter] as const));
  return domains
    .filter(({ domain }) => domain.kind === 'platform' && !domain.isAttributed)
    .map(({ domain, acceptedMicrojoules }) => {
      const meter = balances.get(domain.id);
      const rest = meter?.restMicrojoules;
      return {
        id: domain.id,
        name: domain.name,
        watts: meter === undefined ? null : meanWatts(meter.meterMicrojoules, meter.spanNanos),
        restWatts:
          meter === undefined || rest === undefined ? null : meanWatts(rest, meter.spanNanos),
        joules: joulesOf(acceptedMicrojoules),
      };
    });
};

/** Events per second of a window. */
export const perSecond = (count: number, spanNanos: Nanos): number =>
  spanNanos > 0n ? (count * NANOS_PER_SECOND) / Number(spanNanos) : 0;
