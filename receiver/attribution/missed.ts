// SPDX-License-Identifier: Apache-2.0
/**
 * A counter that could not be read in some windows shows their energy with the next reading. Who drew
 * it is not told by what runs then: by the time that each took, the part of the missed windows is cut
 * off before anything is split. Its idle and graphics stay what they are, the rest is nobody's.
 */
import { microjoules, nanos, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules, Nanos } from '../model/units.js';
import type { Advance } from './advances.js';
import type { DomainSplit } from './split-domain.js';

/** The parts that were cut off. */
interface Missed {
  readonly spanNanos: Nanos;
  readonly idleMicrojoules: Microjoules;
  readonly igpuMicrojoules: Microjoules;
  /** Of active energy. */
  readonly restMicrojoules: Microjoules;
}

export interface CutAdvance {
  /** This window's own. */
  readonly own: Advance;
  readonly missed: Missed | undefined;
}

const least = (a: bigint, b: bigint): Microjoules => microjoules(a < b ? a : b);

/** Each of idle, graphics and rest is cut by itself, so that neither half ever has more parts than energy. */
export const cutMissed = (whole: Advance): CutAdvance => {
  const { spanNanos, missedNanos, deltaMicrojoules, idleMicrojoules, igpuMicrojoules } = whole;
  if (missedNanos <= 0n || spanNanos <= 0n) return { own: whole, missed: undefined };
  const missedSpan = missedNanos < spanNanos ? missedNanos : spanNanos;
  const cut = (energy: bigint): Microjoules => microjoules((energy * missedSpan) / spanNanos);
  const active = deltaMicrojoules - idleMicrojoules - igpuMicrojoules;
  const idle = cut(idleMicrojoules);
  const igpu = cut(igpuMicrojoules);
  const rest = cut(active);
  const core = whole.coreMicrojoules;
  return {
    own: {
      ...whole,
      deltaMicrojoules: microjoules(deltaMicrojoules - idle - igpu - rest),
      spanNanos: nanos(spanNanos - missedSpan),
      missedNanos: nanos(missedSpan),
      idleMicrojoules: microjoules(idleMicrojoules - idle),
      igpuMicrojoules: microjoules(igpuMicrojoules - igpu),
      coreMicrojoules: core === undefined ? undefined : least(core - cut(core), active - rest),
    },
    missed: {
      spanNanos: nanos(missedSpan),
      idleMicrojoules: idle,
      igpuMicrojoules: igpu,
      restMicrojoules: rest,
    },
  };
};

/** The balance of the whole, from that of the window's own part. */
export const withMissed = (split: DomainSplit, missed: Missed | undefined): DomainSplit => {
  if (missed === undefined) return split;
  const { balance } = split;
  const { idleMicrojoules, igpuMicrojoules, restMicrojoules } = missed;
  const unattributed = new Map(balance.unattributed);
  if (restMicrojoules > ZERO_MICROJOULES) unattributed.set('missed-reading', restMicrojoules);
  const sum = idleMicrojoules + igpuMicrojoules + restMicrojoules;
  return {
    ...split,
    balance: {
      ...balance,
      deltaMicrojoules: microjoules(balance.deltaMicrojoules + sum),
      spanNanos: nanos(balance.spanNanos + missed.spanNanos),
      idleMicrojoules: microjoules(balance.idleMicrojoules + idleMicrojoules),
      igpuMicrojoules: microjoules(balance.igpuMicrojoules + igpuMicrojoules),
      unattributed,
    },
  };
};
