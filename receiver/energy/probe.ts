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

/** Sub-domains may rest: it is enough that the event opens and reads. */
const probeMillisOf = ({ kind }: EnergyCandidate): number =>
  kind === 'package' || kind === 'die' || kind === 'platform' ? PROBE_MILLIS : 1;

const perfPair = (
  spec: PerfSpec,
  millis: number,
  probePerf: ActivityPort['probePerf'],
): readonly [RawReading, RawReading] => {
  const result = probePerf(spec, millis);
  const reading = (value: bigint, errno: number, spanMillis: number): RawReading => {
    const span = BigInt(spanMillis * NANOS_PER_MILLISECOND);
    // The probe reports values only; times are those of the wait between the two reads.
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
    ? [reading(0n, result.left.errno, 0), reading(0n, result.left.errno, millis)]
    : [reading(result.right.first, 0, 0), reading(result.right.last, 0, millis)];
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
    const [first, last] = perfPair(spec, probeMillisOf(candidate), probePerf);
    liveness.set(candidate.id, judgeLiveness(candidate, [first], [last]));
  }
  return liveness;
};
