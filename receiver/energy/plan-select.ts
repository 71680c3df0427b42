// SPDX-License-Identifier: Apache-2.0
/** Chooses, for one domain, one source among those that count. Pure. */
import type { EnergySourceKind } from '../model/energy-domain.js';
import type { Liveness } from './liveness.js';
import type { EnergyCandidate } from './measure.js';
import type { DroppedSource, DropReason, EnergyConfig } from './plan-types.js';

const DEFAULT_ORDER: readonly EnergySourceKind[] = [
  'perf',
  'powercap',
  'hwmon',
  'power-supply',
  'model',
];

export const sourceOrder = (config: EnergyConfig): readonly EnergySourceKind[] =>
  config.sources === 'auto' ? DEFAULT_ORDER : config.sources;

/** A candidate with what the probe saw of it. */
export interface Judged {
  readonly candidate: EnergyCandidate;
  readonly liveness: Liveness;
}

/** One source's members for one domain: one counter, or one per die. */
export interface SourceGroup {
  readonly members: readonly Judged[];
}

const dropped = (
  candidate: EnergyCandidate,
  reason: DropReason,
  detail: string,
): DroppedSource => ({ id: candidate.id, name: candidate.name, reason, detail });

/** Packages, dies and whole machines always draw power; the others may rest or fail for a while. */
const mustCount = ({ kind }: EnergyCandidate): boolean =>
  kind === 'package' || kind === 'die' || kind === 'platform';

const refusal = (
  candidate: EnergyCandidate,
  liveness: Liveness | undefined,
  order: readonly EnergySourceKind[],
): DroppedSource | undefined => {
  if (!order.includes(candidate.source))
    return dropped(candidate, 'excluded', 'not in energy.sources');
  if (candidate.unfit !== undefined) return dropped(candidate, 'unfit', candidate.unfit);
  if (liveness === undefined) return dropped(candidate, 'unreadable', 'was not probed');
  switch (liveness._tag) {
    case 'Alive':
      return undefined;
    case 'Implausible':
      return dropped(candidate, 'implausible', liveness.detail);
    case 'Still':
      return mustCount(candidate)
        ? dropped(
            candidate,
            'dead',
            `present but constant at ${String(liveness.lastRaw)}: it does not count`,
          )
        : undefined;
    case 'Failed':
      return mustCount(candidate)
        ? dropped(candidate, 'unreadable', `${liveness.reason} (${liveness.detail})`)
        : undefined;
  }
};

export interface Sorted {
  readonly fit: readonly Judged[];
  readonly dropped: readonly DroppedSource[];
}

/** Parts what may be planned from what may not. */
export const sortCandidates = (
  candidates: readonly EnergyCandidate[],
  liveness: ReadonlyMap<string, Liveness>,
  config: EnergyConfig,
): Sorted => {
  const order = sourceOrder(config);
  const fit: Judged[] = [];
  const out: DroppedSource[] = [];
  for (const candidate of candidates) {
    const seen = liveness.get(candidate.id);
    const refused = refusal(candidate, seen, order);
    if (refused !== undefined) out.push(refused);
    else if (seen !== undefined) fit.push({ candidate, liveness: seen });
  }
  return { fit, dropped: out };
};

const groupKey = ({ source, rank }: EnergyCandidate): string => `${source}/${String(rank)}`;

/** Members of one group have the same source and rank; groups come best first. */
const groupsOf = (
  judged: readonly Judged[],
  order: readonly EnergySourceKind[],
): readonly SourceGroup[] => {
  const groups = new Map<string, Judged[]>();
  for (const entry of judged) {
    const key = groupKey(entry.candidate);
    const members = groups.get(key);
    if (members === undefined) groups.set(key, [entry]);
    else members.push(entry);
  }
  const place = (members: readonly Judged[]): number => {
    const [first] = members;
    if (first === undefined) return Number.MAX_SAFE_INTEGER;
    const fails = members.every(({ liveness }) => liveness._tag === 'Failed') ? 1000 : 0;
    // Room for ten ranks between two sources.
    return fails + order.indexOf(first.candidate.source) * 10 + first.candidate.rank;
  };
  return [...groups.values()]
    .map((members) => ({ members }))
    .sort((a, b) => place(a.members) - place(b.members));
};

/** Two cores may well have drawn the same. */
const isMirror = (a: Judged, b: Judged): boolean =>
  a.candidate.coreId === undefined &&
  a.liveness._tag === 'Alive' &&
  b.liveness._tag === 'Alive' &&
  a.liveness.lastRaw === b.liveness.lastRaw;

export interface Selection {
  readonly taken: readonly Judged[];
  readonly dropped: readonly DroppedSource[];
}

/**
 * One domain of one package: the best group is taken, the others are duplicates. `perDie`: several
 * members of one group are dies and add up, unless they show the same value, which is the package's
 * counter mirrored to each die.
 */
export const selectGroup = (
  judged: readonly Judged[],
  order: readonly EnergySourceKind[],
): Selection => {
  const [best, ...rest] = groupsOf(judged, order);
  if (best === undefined) return { taken: [], dropped: [] };
  const taken: Judged[] = [];
  const out: DroppedSource[] = [];
  for (const member of best.members) {
    const original = taken.find((other) => isMirror(other, member));
    const sameDie = taken.find(
      (other) =>
        other.candidate.dieId === member.candidate.dieId &&
        other.candidate.coreId === member.candidate.coreId,
    );
    if (original !== undefined)
      out.push(
        dropped(member.candidate, 'mirror', `shows the same value as ${original.candidate.id}`),
      );
    else if (sameDie !== undefined)
      out.push(dropped(member.candidate, 'duplicate', `${sameDie.candidate.id} is read instead`));
    else taken.push(member);
  }
  const instead = taken.map(({ candidate }) => candidate.id).join(', ');
  for (const { members } of rest)
    for (const { candidate } of members)
      out.push(dropped(candidate, 'duplicate', `${instead} is read instead`));
  return { taken, dropped: out };
};

export const dropAll = (
  judged: readonly Judged[],
  reason: DropReason,
  detail: string,
): readonly DroppedSource[] => judged.map(({ candidate }) => dropped(candidate, reason, detail));
