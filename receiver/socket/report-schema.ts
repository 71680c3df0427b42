// SPDX-License-Identifier: Apache-2.0
/** Checks that what came over the socket is a report. Unknown fields stay: they are a newer agent's. */
import { z } from 'zod';
import { calibrationSchema, explanationSchema, windowSchema } from './explanation-schema.js';
import { SPIN_KINDS } from '../model/spin.js';
import { AGENT_REPORT_SCHEMA, type AgentReport } from '../model/agent-report.js';

/** Null: absent or unknown, see EnergyRow. */
const energyFields = {
  packageWatts: z.number().nullable(),
  dramWatts: z.number().nullable(),
  packageJoules: z.number().nullable(),
  dramJoules: z.number().nullable(),
  cpuRatio: z.number(),
  cpuSeconds: z.number(),
  isDramPredicted: z.literal(true).exactOptional(),
};
const energyRow = z.looseObject(energyFields);

const origin = z.enum(['measured', 'modelled']);
const split = z.enum(['counters', 'time', 'seed', 'rss']);
const sourceKind = z.enum(['perf', 'powercap', 'hwmon', 'power-supply', 'model']);
const decimal = z.string().regex(/^-?\d+$/);

const domainRow = z.looseObject({
  id: z.string(),
  kind: z.enum(['package', 'die', 'core', 'uncore', 'dram', 'platform']),
  name: z.string(),
  packageId: z.number().nullable(),
  parentId: z.string().nullable(),
  source: sourceKind,
  origin,
  split: split.nullable(),
  countedShare: z.number().exactOptional(),
  state: z.string(),
  watts: z.number().nullable(),
  idleWatts: z.number().nullable(),
  irqWatts: z.number().nullable(),
  igpuWatts: z.number().nullable().exactOptional(),
  unattributedWatts: z.number().nullable(),
  acceptedMicrojoules: decimal,
  entitiesMicrojoules: decimal.nullable(),
  idleMicrojoules: decimal.nullable(),
  irqMicrojoules: decimal.nullable(),
  igpuMicrojoules: decimal.nullable().exactOptional(),
  unattributedMicrojoules: decimal.nullable(),
});

const meterRow = z.looseObject({
  id: z.string(),
  name: z.string(),
  watts: z.number().nullable(),
  restWatts: z.number().nullable(),
  joules: z.number(),
});

const processRow = z.looseObject({
  ...energyFields,
  pid: z.number(),
  parentPid: z.number(),
  startUnixMillis: z.number(),
  name: z.string(),
  user: z.string(),
  uid: z.number(),
  cgroup: z.string(),
  threadCount: z.number(),
  isKernelThread: z.boolean(),
  isExited: z.boolean(),
  spins: z.enum(SPIN_KINDS).exactOptional(),
});

const workloadPart = z.looseObject({
  rows: z.array(
    z.looseObject({
      ...energyFields,
      id: z.string(),
      name: z.string().nullable(),
      system: z.string().nullable(),
      within: z.string().nullable(),
      owner: z.string().nullable(),
      processCount: z.number(),
    }),
  ),
  exited: energyRow,
  overflow: energyRow,
  none: energyRow,
});

const agent = z.looseObject({
  pid: z.number(),
  version: z.string(),
  startedUnixMillis: z.number(),
  hostName: z.string(),
});

const source = z.looseObject({
  origin,
  kinds: z.array(sourceKind),
  split,
  isGuess: z.boolean(),
  label: z.string(),
});

export const reportSchema: z.ZodType<AgentReport> = z.looseObject({
  schema: z.literal(AGENT_REPORT_SCHEMA),
  agent,
  window: windowSchema,
  source,
  host: z.looseObject({
    cpuCount: z.number(),
    busyRatio: z.number(),
    stealRatio: z.number().nullable(),
  }),
  calibration: z.array(calibrationSchema).exactOptional(),
  domains: z.array(domainRow),
  meters: z.array(meterRow),
  processes: z.array(processRow),
  cgroups: z.array(z.looseObject({ ...energyFields, id: z.string(), path: z.string() })),
  threads: z.array(
    z.looseObject({
      ...energyFields,
      tid: z.number(),
      pid: z.number(),
      name: z.string(),
      spins: z.enum(SPIN_KINDS).exactOptional(),
    }),
  ),
  exitedProcesses: energyRow,
  overflowProcesses: energyRow,
  overflowCgroups: energyRow,
  exitedCgroups: energyRow.exactOptional(),
  names: z.array(z.looseObject({ ...energyFields, name: z.string() })).exactOptional(),
  overflowNames: energyRow.exactOptional(),
  users: z
    .array(z.looseObject({ ...energyFields, uid: z.number(), user: z.string() }))
    .exactOptional(),
  overflowUsers: energyRow.exactOptional(),
  workloads: z
    .looseObject({
      container: workloadPart,
      pod: workloadPart,
      job: workloadPart,
      unit: workloadPart,
    })
    .exactOptional(),
  accounting: z.looseObject({
    slotsUsed: z.number(),
    slotsLimit: z.number(),
    slotBytes: z.number(),
    switchesPerSecond: z.number(),
    losses: z.record(z.string(), z.number()),
  }),
});

/** What a viewer understands of an agent; messages of other types are passed over. */
export const messageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.number(),
    agent: z.object({ pid: z.number(), version: z.string() }),
  }),
  z.object({
    type: z.literal('report'),
    id: z.union([z.number(), z.string()]).nullable(),
    skippedWindows: z.number(),
    report: reportSchema.nullable(),
  }),
  z.object({ type: z.literal('explanation'), explanation: explanationSchema.nullable() }),
  z.object({ type: z.literal('trace'), record: z.record(z.string(), z.unknown()) }),
  z.object({ type: z.literal('done') }),
  z.object({
    type: z.literal('error'),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
  z.object({ type: z.literal('end'), reason: z.string() }),
]);

export type ViewerMessage = z.infer<typeof messageSchema>;
