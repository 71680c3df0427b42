// SPDX-License-Identifier: Apache-2.0
/** Checks that what came over the socket is an explanation. Unknown fields stay: they are a newer agent's. */
import { z } from 'zod';
import { EXPLANATION_SCHEMA, type Explanation } from '../model/explanation.js';

const decimal = z.string().regex(/^-?\d+$/);

const term = z.looseObject({
  name: z.string(),
  coreType: z.string(),
  amount: z.number(),
  amountUnit: z.string(),
  coefficient: z.number(),
  coefficientUnit: z.string(),
  joules: z.number(),
});

const pool = z.looseObject({
  name: z.enum(['active', 'cores', 'rest of the package']),
  microjoules: decimal,
  ownWeight: z.number(),
  allWeight: z.number(),
  weightUnit: z.string(),
  share: z.number(),
});

const domain = z.looseObject({
  id: z.string(),
  kind: z.enum(['package', 'die', 'core', 'uncore', 'dram', 'platform']),
  name: z.string(),
  origin: z.enum(['measured', 'modelled']),
  split: z.enum(['counters', 'time', 'seed', 'rss']),
  countedShare: z.number(),
  locatedShare: z.number().nullable(),
  spanSeconds: z.number(),
  deltaMicrojoules: decimal,
  igpuMicrojoules: decimal,
  idleFloorWatts: z.number().nullable(),
  idleMicrojoules: decimal,
  terms: z.array(term),
  pools: z.array(pool),
  ownMicrojoules: decimal,
});

const entity = z.looseObject({
  kind: z.enum(['process', 'cgroup']),
  pid: z.number().nullable(),
  name: z.string(),
  user: z.string().nullable(),
  cgroup: z.string(),
  packageJoules: z.number(),
  dramJoules: z.number(),
  cpuSeconds: z.number(),
});

const features = z.looseObject({
  rows: z.number(),
  cpuSeconds: z.number(),
  countedRatio: z.number(),
  sharedCoreSeconds: z.number(),
  cycles: z.number(),
  instructions: z.number(),
  llcMisses: z.number(),
  vectorOps: z.number(),
});

export const calibrationSchema = z.looseObject({
  packageId: z.number(),
  label: z.enum(['prior', 'calibrated', 'modelled']),
  nrmse: z.number().nullable(),
  priorNrmse: z.number().nullable(),
  windows: z.number(),
});

export const windowSchema = z.looseObject({
  index: decimal,
  startNanos: decimal,
  endNanos: decimal,
  endUnixMillis: z.number(),
  durationSeconds: z.number(),
  lateMillis: z.number(),
});

export const explanationSchema: z.ZodType<Explanation> = z.looseObject({
  schema: z.literal(EXPLANATION_SCHEMA),
  window: windowSchema,
  entity,
  features,
  domains: z.array(domain),
  idlePolicy: z.string(),
  calibration: z.array(calibrationSchema),
});
