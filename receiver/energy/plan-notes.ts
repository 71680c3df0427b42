// SPDX-License-Identifier: Apache-2.0
/** What is odd about a plan and how long a window it bears. Pure. */
import type { Complaint } from '../model/errors.js';
import { MICROWATTS_PER_WATT } from '../model/units.js';
import { convertUnits } from './energy-unit.js';
import { formatWatts } from './format.js';
import type { Judged } from './plan-select.js';
import type { PlanInput, PlannedDomain } from './plan-types.js';

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
): readonly Complaint[] => {
  const measured = domains.filter(({ domain }) => domain.isAttributed);
  const inside = wattsOf(fit, new Set(measured.map(({ domain }) => domain.id)));
  return domains
    .filter(({ domain }) => domain.kind === 'platform' && domain.source !== 'power-supply')
    .flatMap(({ domain }) => {
      const meter = wattsOf(fit, new Set([domain.id]));
      if (meter >= inside) return [];
      return [
        {
          what: `compare ${domain.id} with packages and dram`,
          cause: `the machine reads ${formatWatts(meter)}, its parts ${formatWatts(inside)}`,
          remedy: 'do not trust this meter: many boards do not wire it up',
        },
      ];
    });
};

const failing = (domains: readonly PlannedDomain[]): readonly Complaint[] =>
  domains
    .filter(({ evidence }) => evidence.startsWith('failed'))
    .map(({ domain, evidence }) => ({
      what: `read ${domain.id} (${domain.name})`,
      cause: evidence.replace('failed: ', ''),
      remedy: evidence.includes('permission') ? 'run as root or add CAP_DAC_READ_SEARCH' : '',
    }));

/** Two sockets to the microjoule equal twice are one register seen twice (amd_energy under NPS4 did that). */
const twins = (fit: readonly Judged[]): readonly Complaint[] => {
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
        what: `compare ${a.candidate.id} with ${b.candidate.id}`,
        cause: 'two packages show the same value: they may be one counter seen twice',
        remedy: 'compare with another source before you add them up',
      })),
  );
};

const orphans = (input: PlanInput, domains: readonly PlannedDomain[]): readonly Complaint[] =>
  input.facts.host.topology.packageIds
    .filter((id) => !domains.some(({ domain }) => domain.isAttributed && domain.packageId === id))
    .map((id) => ({
      what: `plan energy of package ${String(id)}`,
      cause: 'no source that counts, and the model is not in energy.sources',
      remedy: 'add model to energy.sources',
    }));

export const planNotes = (
  input: PlanInput,
  domains: readonly PlannedDomain[],
  fit: readonly Judged[],
): readonly Complaint[] => [
  ...failing(domains),
  ...contradictions(domains, fit),
  ...twins(fit),
  ...orphans(input, domains),
];
