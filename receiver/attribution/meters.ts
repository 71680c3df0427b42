// SPDX-License-Identifier: Apache-2.0
/** Whole-machine meters against what the packages and the memory say. Attributed to nobody. */
import type { EnergyDomain } from '../model/energy-domain.js';
import { microjoules, NANOS_PER_SECOND } from '../model/units.js';
import type { Nanos } from '../model/units.js';
import type { DomainReading, MeterBalance } from '../model/window.js';

/**
 * Meter and packages are read one behind the other. Spans that differ by more than this share of the
 * meter's (one of them missed a window) say nothing about a rest.
 */
const SPAN_TOLERANCE_RATIO = 0.05;

interface Advanced {
  readonly reading: DomainReading;
  readonly deltaMicrojoules: bigint;
  readonly spanNanos: Nanos;
}

const advanced = (readings: readonly DomainReading[]): readonly Advanced[] =>
  readings.flatMap((reading) =>
    reading.step._tag === 'Advanced' ? [{ reading, ...reading.step }] : [],
  );

const isSameSpan = (meter: Nanos, part: Nanos): boolean =>
  Math.abs(Number(meter - part)) <=
  SPAN_TOLERANCE_RATIO * Math.max(Number(meter), NANOS_PER_SECOND);

/** Memory that is only predicted is in no total: the rest of the machine contains it. */
const isPart = ({ isAttributed, kind, origin }: EnergyDomain): boolean =>
  isAttributed && !(kind === 'dram' && origin === 'modelled');

/**
 * rest = meter - packages - DRAM, over the same time; undefined unless every attributed domain
 * advanced with the meter and was measured (an estimate leaves no rest worth a name). A negative rest is a contradiction between the sources and is shown.
 */
export const meterBalances = (readings: readonly DomainReading[]): readonly MeterBalance[] => {
  const moved = advanced(readings);
  const parts = moved.filter(({ reading }) => isPart(reading.domain));
  const expected = readings.filter(({ domain }) => isPart(domain)).length;
  const partsMicrojoules = parts.reduce((sum, part) => sum + part.deltaMicrojoules, 0n);
  return moved
    .filter(({ reading }) => reading.domain.kind === 'platform' && !reading.domain.isAttributed)
    .map(({ reading, deltaMicrojoules, spanNanos }) => {
      const isComparable =
        expected > 0 &&
        parts.length === expected &&
        parts.every(
          (part) =>
            part.reading.domain.origin === 'measured' && isSameSpan(spanNanos, part.spanNanos),
        );
      return {
        domain: reading.domain,
        meterMicrojoules: microjoules(deltaMicrojoules),
        restMicrojoules: isComparable
          ? microjoules(deltaMicrojoules - partsMicrojoules)
          : undefined,
        spanNanos,
      };
    });
};
