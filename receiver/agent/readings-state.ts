// SPDX-License-Identifier: Apache-2.0
/**
 * The file that remembers each counter's last reading, as text and back; pure. It is of use in the same
 * boot only: a counter and the clock both begin anew with the machine. A perf event's count begins
 * anew with each agent: of those only the time is of use.
 */
import * as E from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { INITIAL_COUNTER, type CounterState } from '../energy/counter-state.js';
import { nanos } from '../model/units.js';

export const READINGS_VERSION = 1;

const decimal = z.string().regex(/^\d{1,30}$/);

const fileSchema = z.object({
  version: z.literal(READINGS_VERSION),
  bootId: z.string().max(64),
  domains: z.record(
    z.string().max(256),
    z.object({
      raw: decimal,
      atNanos: decimal,
      boottimeOffsetNanos: decimal,
      remainder: decimal,
      isPerf: z.boolean(),
    }),
  ),
});

type CounterStates = ReadonlyMap<string, CounterState>;

export const readingsText = (bootId: string, counters: CounterStates): string => {
  const domains = [...counters].flatMap(([id, { baseline, remainder }]) =>
    baseline === undefined
      ? []
      : [
          [
            id,
            {
              raw: String(baseline.raw),
              atNanos: String(baseline.atNanos),
              boottimeOffsetNanos: String(baseline.boottimeOffsetNanos),
              remainder: String(remainder),
              isPerf: baseline.perf !== undefined,
            },
          ] as const,
        ],
  );
  const file: z.infer<typeof fileSchema> = {
    version: READINGS_VERSION,
    bootId,
    domains: Object.fromEntries(domains),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
};

const stateOf = (
  saved: z.infer<typeof fileSchema>['domains'][string],
  nowNanos: bigint,
): CounterState | undefined => {
  const atNanos = nanos(BigInt(saved.atNanos));
  if (atNanos > nowNanos) return undefined;
  return {
    ...INITIAL_COUNTER,
    baseline: {
      raw: BigInt(saved.raw),
      atNanos,
      boottimeOffsetNanos: nanos(BigInt(saved.boottimeOffsetNanos)),
      ...(saved.isPerf && { perf: { enabledNanos: 0n, runningNanos: 0n } }),
    },
    judgedFromNanos: atNanos,
    remainder: BigInt(saved.remainder),
  };
};

const parseJson = (text: string): E.Either<string, unknown> =>
  E.tryCatch(
    (): unknown => JSON.parse(text),
    () => 'no JSON',
  );

/** By domain id; empty after a reboot. Left: what is wrong with the file. */
export const parseReadings = (
  text: string,
  bootId: string,
  nowNanos: bigint,
): E.Either<string, CounterStates> => {
  const json = parseJson(text);
  if (E.isLeft(json)) return json;
  const file = fileSchema.safeParse(json.right);
  if (!file.success) return E.left(file.error.issues[0]?.message ?? 'another shape');
  if (file.data.bootId !== bootId) return E.right(new Map());
  return E.right(
    new Map(
      Object.entries(file.data.domains).flatMap(([id, saved]) => {
        const state = stateOf(saved, nowNanos);
        return state === undefined ? [] : [[id, state] as const];
      }),
    ),
  );
};
