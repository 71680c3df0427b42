// SPDX-License-Identifier: Apache-2.0
/**
 * What the pipeline remembers, as JSON and back: with it a recording that begins in the middle of an
 * agent's life replays to the same microjoule. Of no meaning to other programs, which may leave it out.
 */
import * as E from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import type { PipelineState } from '../agent/pipeline.js';
import { savedFitSchema } from '../attribution/calibration/saved-fit.js';
import { microjoules, nanos, watts, ZERO_MICROJOULES } from '../model/units.js';
import type { LineDefect } from './parse-line.js';

const big = z
  .string()
  .regex(/^-?\d{1,40}$/)
  .transform((text) => BigInt(text));
const time = big.transform((value) => nanos(value));
const power = z.number().transform((value) => watts(value));
/** JSON has no infinity: null. */
const lowest = z
  .number()
  .nullable()
  .transform((value) => value ?? Infinity);

const counterReading = z.object({
  raw: big,
  atNanos: time,
  boottimeOffsetNanos: time,
  perf: z.object({ enabledNanos: big, runningNanos: big }).exactOptional(),
});

const counter = z.object({
  baseline: counterReading.optional(),
  judgedFromNanos: time,
  suspect: counterReading.optional(),
  suspectRepeats: z.int(),
  remainder: big,
});

const powerState = z.object({
  last: z.object({ microwatts: big, atNanos: time, boottimeOffsetNanos: time }).optional(),
  isBroken: z.boolean(),
  remainder: big,
});

const powerSum = z.object({ joules: z.number(), seconds: z.number() });

const floor = z.object({
  configuredWatts: power.optional(),
  floorWatts: power.optional(),
  quietWatts: z.array(z.number()),
  lowestWatts: lowest,
  quiet: powerSum,
  any: powerSum,
  quietWindows: z.number(),
  quietSeconds: z.number(),
  owedMicrojoules: big.transform((value) => microjoules(value)).default(ZERO_MICROJOULES),
  // not in states of older versions
  lightWatts: z.array(z.number()).default([]),
  light: powerSum.default({ joules: 0, seconds: 0 }),
  isProvisional: z.boolean().default(false),
});

const schema = z.object({
  fits: z.array(savedFitSchema).exactOptional(),
  counters: z.record(z.string(), z.object({ counter, power: powerState, modelRemainder: big })),
  floors: z.record(z.string(), floor),
});

/** JSON as text: bigints as digits, infinity as null, what is undefined is left out. */
export const pipelineStateJson = ({ counters, floors, ...rest }: PipelineState): string =>
  JSON.stringify(
    { ...rest, counters: Object.fromEntries(counters), floors: Object.fromEntries(floors) },
    (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );

/** The keys come back although they hold undefined. */
const whole = (state: z.output<typeof schema>): PipelineState => ({
  ...(state.fits === undefined ? {} : { fits: state.fits }),
  counters: new Map(
    Object.entries(state.counters).map(([id, { counter: seen, power: sensed, modelRemainder }]) => [
      id,
      {
        counter: { ...seen, baseline: seen.baseline, suspect: seen.suspect },
        power: { ...sensed, last: sensed.last },
        modelRemainder,
      },
    ]),
  ),
  floors: new Map(
    Object.entries(state.floors).map(([id, one]) => [
      id,
      { ...one, configuredWatts: one.configuredWatts, floorWatts: one.floorWatts },
    ]),
  ),
});

export const parsePipelineState = (json: unknown): E.Either<LineDefect, PipelineState> => {
  const { data, error } = schema.safeParse(json);
  if (data !== undefined) return E.right(whole(data));
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  return E.left({ cause: `pipeline.${path}: ${issue?.message ?? 'invalid'}` });
};
