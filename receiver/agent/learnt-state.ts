// SPDX-License-Identifier: Apache-2.0
/**
 * What was learnt of this machine, as a file's text and back. It is of use on the same host with the same
 * CPU only: a disk that moved, or an image with a state baked in, begins anew.
 */
import * as E from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import { savedFitSchema } from '../attribution/calibration/saved-fit.js';
import type { SavedFit } from '../attribution/calibration/package-fit.js';

/** Rises when the meaning of a field, or the model that the numbers are for, changes. */
export const STATE_VERSION = 1;

export interface MachineKey {
  readonly machineId: string;
  readonly cpuName: string;
}

const schema = z.object({
  version: z.literal(STATE_VERSION),
  machine: z.object({ machineId: z.string(), cpuName: z.string() }),
  fits: z.array(savedFitSchema).max(64),
});

export type LearntState =
  | { readonly _tag: 'Learnt'; readonly fits: readonly SavedFit[] }
  /** Whole, but of another machine or another version: nothing to complain about. */
  | { readonly _tag: 'Foreign'; readonly why: string };

export const learntText = (machine: MachineKey, fits: readonly SavedFit[]): string =>
  `${JSON.stringify({ version: STATE_VERSION, machine, fits })}\n`;

const json = (text: string): E.Either<string, unknown> =>
  E.tryCatch(
    (): unknown => JSON.parse(text),
    () => 'is no JSON',
  );

const versionOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;

/** Left: broken, and why. */
export const parseLearnt = (text: string, machine: MachineKey): E.Either<string, LearntState> => {
  const parsed = json(text);
  if (E.isLeft(parsed)) return parsed;
  const version = versionOf(parsed.right);
  if (typeof version === 'number' && version !== STATE_VERSION)
    return E.right({
      _tag: 'Foreign',
      why: `version ${version}, this wattfeed has ${STATE_VERSION}`,
    });
  const { data, error } = schema.safeParse(parsed.right);
  if (data === undefined) {
    const [issue] = error.issues;
    return E.left(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
  }
  const isSame =
    data.machine.machineId === machine.machineId && data.machine.cpuName === machine.cpuName;
  return E.right(
    isSame
      ? { _tag: 'Learnt', fits: data.fits }
      : { _tag: 'Foreign', why: `learnt on another machine (${data.machine.cpuName})` },
  );
};
