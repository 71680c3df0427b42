// SPDX-License-Identifier: Apache-2.0
/** How the recording agent was told to split, in the header; and what a replay is told otherwise. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import type { PipelineOptions } from '../agent/pipeline.js';
import { DEFAULT_SETTINGS, type AttributionSettings } from '../attribution/attribute.js';
import type { Coefficients } from '../model/coefficients.js';
import { DEFAULT_COEFFICIENTS, defaultCoefficients } from '../model/coefficients.js';
import type { LineDefect } from './parse-line.js';
import type { TraceMachine } from './header.js';
import { MAX_WATTS, type HeaderRecord } from './wire.js';

export const REPLAY_MODELS = ['counters', 'time', 'seed'] as const;
export const REPLAY_IDLE_POLICIES = ['none', 'equal', 'active', 'request'] as const;

export type ReplaySplit = Pick<PipelineOptions, 'idleWatts' | 'settings' | 'isCalibrating'>;

const schema = z.looseObject({
  idleWatts: z.number().min(0).max(MAX_WATTS).nullish(),
  isCalibrating: z.boolean().default(false),
  model: z.enum(REPLAY_MODELS).default(DEFAULT_SETTINGS.model),
  idlePolicy: z.enum(REPLAY_IDLE_POLICIES).default(DEFAULT_SETTINGS.idlePolicy),
  dramSplit: z.enum(['misses', 'rss', 'time']).default(DEFAULT_SETTINGS.dramSplit),
  seed: z
    .looseObject({ alpha: z.number(), baseInstructionsPerCycle: z.number() })
    .default({ ...DEFAULT_SETTINGS.seed }),
});

/** What the header says of them. */
export const settingsJson = ({
  idleWatts,
  settings = DEFAULT_SETTINGS,
  isCalibrating = false,
}: ReplaySplit): Readonly<Record<string, unknown>> => ({
  idleWatts: idleWatts ?? null,
  isCalibrating,
  ...(settings satisfies AttributionSettings),
});

const coefficients = z.strictObject({
  cycleNanojoules: z.number().min(0),
  instructionNanojoules: z.number().min(0),
  vectorNanojoules: z.number().min(0),
  llcMissNanojoules: z.number().min(0),
  coreWatts: z.number().min(0),
  packageOnWatts: z.number().min(0),
});

const coefficientsFile = z.record(z.string(), coefficients.partial());

/** By core type; `default` holds for those that are not named. Fields that are missing are the built-in ones. */
export type CoefficientsFile = z.output<typeof coefficientsFile>;

export const parseCoefficients = (json: unknown): E.Either<string, CoefficientsFile> => {
  const { data, error } = coefficientsFile.safeParse(json);
  if (data !== undefined) return E.right(data);
  const [issue] = error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  return E.left(`${place === '' ? 'the file' : place}: ${issue?.message ?? 'invalid'}`);
};

export interface SplitOverrides {
  readonly model?: (typeof REPLAY_MODELS)[number];
  readonly idlePolicy?: (typeof REPLAY_IDLE_POLICIES)[number];
  /** Not given: those that the recording agent used, where it told them, else learnt as it would. */
  readonly coefficients?: 'default' | 'learn' | CoefficientsFile;
}

export const isOverriding = ({ model, idlePolicy, coefficients: given }: SplitOverrides): boolean =>
  model !== undefined || idlePolicy !== undefined || given !== undefined;

const priorOf =
  (file: CoefficientsFile) =>
  (coreType: string): Coefficients => {
    const given = file[coreType] ?? file['default'];
    const builtIn =
      file[coreType] === undefined ? DEFAULT_COEFFICIENTS : defaultCoefficients(coreType);
    if (given === undefined) return defaultCoefficients(coreType);
    return {
      cycleNanojoules: given.cycleNanojoules ?? builtIn.cycleNanojoules,
      instructionNanojoules: given.instructionNanojoules ?? builtIn.instructionNanojoules,
      vectorNanojoules: given.vectorNanojoules ?? builtIn.vectorNanojoules,
      llcMissNanojoules: given.llcMissNanojoules ?? builtIn.llcMissNanojoules,
      coreWatts: given.coreWatts ?? builtIn.coreWatts,
      packageOnWatts: given.packageOnWatts ?? builtIn.packageOnWatts,
    };
  };

/** A core type that was written and that no CPU is of: most likely a slip. */
const strangeCoreType = (
  given: SplitOverrides['coefficients'],
  { topology }: TraceMachine,
): string | undefined => {
  if (typeof given !== 'object') return undefined;
  const known = new Set(topology.cpuDomains.map(({ coreType }) => coreType));
  return Object.keys(given).find((name) => name !== 'default' && !known.has(name));
};

const coreTypesOf = ({ topology }: TraceMachine): string =>
  [...new Set(topology.cpuDomains.map(({ coreType }) => coreType))].join(', ');

/** The header's settings, with what the command line says otherwise. Given coefficients are kept as they are. */
export const pipelineOptionsOf =
  (overrides: SplitOverrides) =>
  (machine: TraceMachine, { settings }: HeaderRecord): E.Either<LineDefect, PipelineOptions> => {
    const strange = strangeCoreType(overrides.coefficients, machine);
    if (strange !== undefined)
      return E.left({
        cause: `no CPU is of the core type "${strange}" that the coefficients name; there are: ${coreTypesOf(machine)}`,
      });
    const { data, error } = schema.safeParse(settings);
    if (data === undefined) {
      const [issue] = error.issues;
      const path = issue?.path.map(String).join('.') ?? '';
      return E.left({ cause: `settings.${path}: ${issue?.message ?? 'invalid'}` });
    }
    const { alpha, baseInstructionsPerCycle } = data.seed;
    const given = overrides.coefficients;
    return E.right({
      plan: machine.plan,
      topology: machine.topology,
      idleWatts: data.idleWatts ?? undefined,
      isCalibrating: given === undefined ? data.isCalibrating : given === 'learn',
      priorFor: typeof given === 'object' ? priorOf(given) : undefined,
      settings: {
        model: overrides.model ?? data.model,
        idlePolicy: overrides.idlePolicy ?? data.idlePolicy,
        dramSplit: data.dramSplit,
        seed: { alpha, baseInstructionsPerCycle },
      },
    });
  };
