// SPDX-License-Identifier: Apache-2.0
/** What is odd about a plan and how long a window it bears. Pure. */
import { MICROWATTS_PER_WATT } from '../model/units.js';
import { convertUnits } from './energy-unit.js';
import { formatWatts } from './format.js';
import type { Judged } from './plan-select.js';
import type { PlanInput, PlanNote, PlannedDomain } from './plan-types.js';

const MILLIS_PER_SECOND = 1000;
/** A window that ends late must still be shorter than one turn of the counter. */
const WINDOW_MARGIN = 0.9;

/** Shortest time in which a counter of the plan can wrap at its highest plausible power, less a margin. */
export const longestWindowMillis = (domains: readonly PlannedDomain[]): number | undefined => {
  const turns = domains.flatMap(({ measure }) => {
    if (measure._tag !== 'Counter' || measure.shape.maxRaw === undefined) return [];
    const { unit, maxRaw, maxWatts } = measure.shape;
    const turn = Number(convertUnits(unit, maxRaw + 1n, 0n).energyMicrojoules);
    return [(turn / (maxWatts * MICROWATTS_PER_WATT)) * MILLIS_PER_SECOND * WINDOW_MARGIN];
  });
  return turns.length === 0 ? undefined : Math.floor(Math.min(...turns));
};

const wattsOf = (fit: readonly Judged[], ids: ReadonlySet<string>): number =>
  fit
    .filter(({ candidate }) => ids.has(candidate.id))
    .reduce((sum, { liveness }) => sum + (liveness._tag === 'Alive' ? liveness.watts : 0), 0);

const contradictions = (
  domains: readonly PlannedDomain[],
  fit: readonly Judged[],
): readonly PlanNote[] => {
  const measured = domains.filter(({ domain }) => domain.isAttributed);
  const inside = wattsOf(fit, new Set(measured.map(({ domain }) => domain.id)));
  return domains
    .filter(({ domain }) => domain.kind === 'platform' && domain.source !== 'power-supply')
    .flatMap(({ domain }) => {
      const meter = wattsOf(fit, new Set([domain.id]));
      if (meter >= inside) return [];
      return [
        {
          id: 'meter-contradicts' as const,
          meaning: 'the rest of the machine comes out negative and is shown so',
          what: `compare ${domain.id} with packages and dram`,
          cause: `the machine reads ${formatWatts(meter)}, its parts ${formatWatts(inside)}`,
          remedy: 'do not trust this meter: many boards do not wire it up',
        },
      ];
    });
};

/** Domains that fail alike are one note. */
const failing = (domains: readonly PlannedDomain[]): readonly PlanNote[] => {
  const causes = new Map<string, string[]>();
  for (const { domain, evidence, isFailing } of domains) {
    if (!isFailing) continue;
    const cause = evidence.replace('failed: ', '');
    causes.set(cause, [...(causes.get(cause) ?? []), `${domain.id} (${domain.name})`]);
  }
  return [...causes].map(([cause, names]) => ({
    id: 'domain-failing',
    what: `read ${names.join(', ')}`,
    cause,
    meaning: 'their windows count as failed until they can be read; the others go on',
    remedy: cause.startsWith('permission') ? 'run as root or add CAP_DAC_READ_SEARCH' : '',
  }));
};

/** Two sockets to the microjoule equal twice are one register seen twice (amd_energy under NPS4 did that). */
const twins = (fit: readonly Judged[]): readonly PlanNote[] => {
  const packages = fit.filter(
    ({ candidate, liveness }) => candidate.kind === 'package' && liveness._tag === 'Alive',
  );
  return packages.flatMap((a, index) =>
    packages
      .slice(index + 1)
      .filter(
        (b) =>
          a.candidate.source === b.candidate.source &&
          a.candidate.packageId !== b.candidate.packageId &&
          a.candidate.measure._tag === 'Counter' &&
          a.liveness._tag === 'Alive' &&
          b.liveness._tag === 'Alive' &&
          a.liveness.lastRaw === b.liveness.lastRaw,
      )
      .map((b) => ({
        id: 'packages-equal' as const,
        meaning: 'if so, their sum counts it twice',
        what: `compare ${a.candidate.id} with ${b.candidate.id}`,
        cause: 'two packages show the same value: they may be one counter seen twice',
        remedy: 'compare with another source before you add them up',
      })),
  );
};

const orphans = (input: PlanInput, domains: readonly PlannedDomain[]): readonly PlanNote[] =>
  input.facts.host.topology.packageIds
    .filter((id) => !domains.some(({ domain }) => domain.isAttributed && domain.packageId === id))
    .map((id) => ({
      id: 'package-without-source' as const,
      meaning: 'what runs there is charged no energy',
      what: `plan energy of package ${String(id)}`,
      cause: 'no source that counts, and the model is not in energy.sources',
      remedy: 'add model to energy.sources',
    }));

export const planNotes = (
  input: PlanInput,
  domains: readonly PlannedDomain[],
  fit: readonly Judged[],
): readonly PlanNote[] => [
  ...failing(domains),
  ...contradictions(domains, fit),
  ...twins(fit),
  ...orphans(input, domains),
];
