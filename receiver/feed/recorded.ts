// SPDX-License-Identifier: Apache-2.0
/** What `wattfeed feed --json --tasks --watch` printed, as steps to be published again. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import { z } from 'zod';
import type { Complaint } from '../model/errors.js';
import type { SetLine, SetStep } from './set-lines.js';

const MILLI = 1000;

const document = z.object({
  windowSeconds: z.number().nullable(),
  referenceWatts: z.number().nullable(),
  packages: z.array(
    z.object({ packageId: z.number(), watts: z.number(), limitWatts: z.number().nullable() }),
  ),
  cgroups: z.array(
    z.object({
      id: z.string(),
      watts: z.number(),
      budgetWatts: z.number().nullable(),
      overRatio: z.number().nullable(),
      burstMillis: z.number(),
      flags: z.array(z.string()),
    }),
  ),
  tasks: z.array(z.object({ tid: z.number(), runWatts: z.number() })).optional(),
});

type Recorded = z.infer<typeof document>;

const line = (
  kind: SetLine['kind'],
  id: string,
  values: Readonly<Record<string, number>>,
): SetLine => ({
  kind,
  id,
  values: new Map(Object.entries(values)),
});

const linesOf = ({ packages, cgroups, tasks, referenceWatts }: Recorded): readonly SetLine[] => [
  ...(referenceWatts === null
    ? []
    : [line('state', '', { reference_power_mw: referenceWatts * MILLI })]),
  ...packages.map((one) =>
    line('package', String(one.packageId), {
      power_mw: one.watts * MILLI,
      limit_mw: (one.limitWatts ?? 0) * MILLI,
    }),
  ),
  ...cgroups.map((one) =>
    line('cgroup', one.id, {
      power_mw: one.watts * MILLI,
      budget_mw: (one.budgetWatts ?? 0) * MILLI,
      over_permille: (one.overRatio ?? 0) * MILLI,
      burst_ms: one.burstMillis,
      over: one.flags.includes('overBudget') ? 1 : 0,
      soft: one.flags.includes('workConserving') ? 1 : 0,
      batch: one.flags.includes('batch') ? 1 : 0,
    }),
  ),
  ...(tasks ?? []).map((one) => line('tid', String(one.tid), { power_mw: one.runWatts * MILLI })),
];

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** One document per line, each for the length of its window. */
export const parseRecordedFile = (text: string): E.Either<Complaint, readonly SetStep[]> => {
  const steps: SetStep[] = [];
  let atSeconds = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw.trim() === '') continue;
    const parsed = document.safeParse(parseJson(raw));
    if (!parsed.success)
      return E.left({
        what: `read line ${index + 1}`,
        cause: 'it is no document of wattfeed feed --json',
        remedy: 'record with: wattfeed feed --json --tasks --watch 1 > FILE',
        isUsage: true,
      });
    steps.push({ atSeconds, lines: linesOf(parsed.data) });
    atSeconds += parsed.data.windowSeconds ?? 1;
  }
  return E.right(steps);
};
