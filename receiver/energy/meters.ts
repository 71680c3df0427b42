// SPDX-License-Identifier: Apache-2.0
/** Whole-machine meters against the sum of what is attributed. Pure. */
import { ZERO_MICROJOULES, addMicrojoules, subtractMicrojoules } from '../model/units.js';
import type { DomainReading, DomainStep, MeterBalance } from '../model/window.js';

type Advanced = Extract<DomainStep, { _tag: 'Advanced' }>;

/** Spans that differ by more belong to different stretches of time (one of the two missed a window). */
const SPAN_TOLERANCE_RATIO = 0.1;

const covers = (a: Advanced, b: Advanced): boolean =>
  Math.abs(Number(a.spanNanos - b.spanNanos)) <= SPAN_TOLERANCE_RATIO * Number(b.spanNanos);

/**
 * One balance per meter that advanced. The rest is left out, not guessed, where a package or DRAM has
 * no measured value for the same stretch of time; a negative rest is kept: the sources contradict each other.
 */
export const meterBalances = (readings: readonly DomainReading[]): readonly MeterBalance[] => {
  const parts = readings.filter(({ domain }) => domain.isAttributed);
  return readings.flatMap(({ domain, step }) => {
    if (domain.kind !== 'platform' || step._tag !== 'Advanced') return [];
    let sum = ZERO_MICROJOULES;
    let isComplete = parts.length > 0;
    for (const part of parts) {
      const isComparable =
        part.domain.origin === 'measured' &&
        part.step._tag === 'Advanced' &&
        covers(part.step, step);
      if (isComparable && part.step._tag === 'Advanced')
        sum = addMicrojoules(sum, part.step.deltaMicrojoules);
      else isComplete = false;
    }
    return [
      {
        domain,
        meterMicrojoules: step.deltaMicrojoules,
        restMicrojoules: isComplete ? subtractMicrojoules(step.deltaMicrojoules, sum) : undefined,
        spanNanos: step.spanNanos,
      },
    ];
  });
};
