// SPDX-License-Identifier: Apache-2.0
/** Reads every candidate twice and says which of them count: the effect behind liveness.ts. */
import { constants } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import type { ActivityPort, EnergySourceSpec } from '../activity/port.js';
import type { Clock } from '../host/clock.js';
import { readText } from '../host/files.js';
import type { RawReading } from '../model/activity.js';
import { NANOS_PER_MILLISECOND, nanos } from '../model/units.js';
import { PROBE_MILLIS, judgeLiveness, type Liveness } from './liveness.js';
import type { EnergyCandidate } from './measure.js';

export interface ProbePorts {
  /** undefined where the addon is not loaded: perf candidates then count as not supported. */
  readonly probePerf: ActivityPort['probePerf'] | undefined;
  readonly clock: Clock;
  readonly wait: (durationMillis: number) => Promise<void>;
}

const errnoOf = (code: string): number => {
  const entry = Object.entries(constants.errno).find(([name]) => name === code);
  return entry === undefined ? constants.errno.EIO : entry[1];
};

const readFileOnce = (path: string, clock: Clock): RawReading => {
  const beforeNanos = clock.monotonicNanos();
  const text = readText(path);
  const afterNanos = clock.monotonicNanos();
  return E.isLeft(text)
    ? {
        _tag: 'FileReading',
        text: '',
        textLength: 0,
        errno: errnoOf(text.left.code),
        beforeNanos,
        afterNanos,
      }
    : {
        _tag: 'FileReading',
        text: text.right,
        textLength: text.right.length,
        errno: 0,
        beforeNanos,
        afterNanos,
      };
};

type PerfSpec = EnergySourceSpec & { readonly kind: 'perf' };

/** Sub-domains may rest: it is enough that the event opens and reads; some updates of the counter for a figure. */
const RESTING_PROBE_MILLIS = 20;

const probeMillisOf = ({ kind }: EnergyCandidate): number =>
  kind === 'package' || kind === 'die' || kind === 'platform' ? PROBE_MILLIS : RESTING_PROBE_MILLIS;

const perfPair = (
  spec: PerfSpec,
  millis: number,
  probePerf: ActivityPort['probePerf'],
  clock: Clock,
): readonly [RawReading, RawReading] => {
  const beginNanos = clock.monotonicNanos();
  const result = probePerf(spec, millis);
  const elapsedNanos = clock.monotonicNanos() - beginNanos;
  const waitedNanos = BigInt(millis * NANOS_PER_MILLISECOND);
  // The probe reports values only. On a busy host the wait is longer than asked for: over the nominal
  // one an idle memory domain of 8 W looked like 13 W.
  const lastNanos = elapsedNanos > waitedNanos ? elapsedNanos : waitedNanos;
  const reading = (value: bigint, errno: number, span: bigint): RawReading => {
    return {
      _tag: 'PerfReading',
      value,
      enabledNanos: span + 1n,
      runningNanos: span + 1n,
      errno,
      beforeNanos: nanos(span),
      afterNanos: nanos(span),
    };
  };
  return E.isLeft(result)
    ? [reading(0n, result.left.errno, 0n), reading(0n, result.left.errno, lastNanos)]
    : [reading(result.right.first, 0, 0n), reading(result.right.last, 0, lastNanos)];
};

/** Takes PROBE_MILLIS for all files together and as much again for each perf event that has to move. */
export const probeLiveness = async (
  candidates: readonly EnergyCandidate[],
  { probePerf, clock, wait }: ProbePorts,
): Promise<ReadonlyMap<string, Liveness>> => {
  const liveness = new Map<string, Liveness>();
  const files = candidates.filter(({ specs }) => specs.every((spec) => spec.kind === 'file'));
  const readAll = (): ReadonlyMap<string, readonly RawReading[]> =>
    new Map(
      files.map(({ id, specs }) => [
        id,
        specs.flatMap((spec) => (spec.kind === 'file' ? [readFileOnce(spec.path, clock)] : [])),
      ]),
    );
  if (files.length > 0) {
    const first = readAll();
    await wait(PROBE_MILLIS);
    const last = readAll();
    for (const candidate of files)
      liveness.set(
        candidate.id,
        judgeLiveness(candidate, first.get(candidate.id) ?? [], last.get(candidate.id) ?? []),
      );
  }
  for (const candidate of candidates) {
    const [spec] = candidate.specs;
    if (spec?.kind !== 'perf') continue;
    if (probePerf === undefined) {
      liveness.set(candidate.id, {
        _tag: 'Failed',
        reason: 'unreadable',
        detail: 'the addon is not loaded',
      });
      continue;
    }
    const [first, last] = perfPair(spec, probeMillisOf(candidate), probePerf, clock);
    liveness.set(candidate.id, judgeLiveness(candidate, [first], [last]));
  }
  return liveness;
};
