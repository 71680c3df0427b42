// SPDX-License-Identifier: Apache-2.0
/**
 * The records of a trace as JSON, one per line; docs/trace-format.md is the specification. Objects are
 * loose: fields that this version does not know are kept, so that a newer trace passes through whole.
 */
import { z } from 'zod';
import { LARGEST_AMOUNT } from '../attribution/energy-account.js';

export const TRACE_FORMAT = 'wattfeed-trace';
export const TRACE_VERSION = 1;
/** As the configuration allows. */
export const MAX_WATTS = 1_000_000_000;

/** 64-bit numbers are decimal strings; a writer may give one that is exact in a double as a number. */
const whole = z
  .union([z.string().regex(/^\d{1,20}$/, { error: 'must be digits' }), z.int().min(0)])
  .transform((value) => String(value));
const signed = z
  .union([z.string().regex(/^-?\d{1,20}$/, { error: 'must be digits' }), z.int()])
  .transform((value) => String(value));
/** A divisor, or a factor that must leave something. */
const positive = whole.refine((digits) => BigInt(digits) > 0n, { error: 'must be above 0' });
const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
/** Time of one window: it is summed in whole nanoseconds. 52 days. */
const time = z.int().min(0).max(LARGEST_AMOUNT);
const duration = time.optional();
/** Far above any machine, and low enough that a window of any length has a finite energy. */
const power = z.number().min(0).max(MAX_WATTS);
const positivePower = power.refine((watts) => watts > 0, { error: 'must be above 0' });
const amount = count.optional();
const small = z.int().min(0).max(0xffff_ffff);
const text = z.string().max(8192);
const flag = z.boolean().optional();

const cpu = z.looseObject({
  cpu: small,
  package: small,
  core: small,
  node: small.default(0),
  die: small.default(0),
  coreType: text.default('cpu'),
  sibling: small.nullish(),
  online: z.boolean().default(true),
  cpuDomain: small,
});

const cpuDomain = z.looseObject({
  index: small,
  package: small,
  coreType: text.default('cpu'),
  node: small.default(0),
});

const measure = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('counter'),
    /** Microjoules per unit as a fraction. */
    unitNumerator: positive.default('1'),
    unitDenominator: positive.default('1'),
    /** Largest value before it wraps; null: it never does. */
    maxRaw: whole.nullish(),
    maxWatts: positivePower,
    mustMove: z.boolean().default(false),
  }),
  z.looseObject({ type: z.literal('power'), maxWatts: positivePower }),
  z.looseObject({
    type: z.literal('battery'),
    maxWatts: positivePower,
    batteries: z.array(z.looseObject({ name: text, inputs: z.enum(['power', 'current-voltage']) })),
  }),
  z.looseObject({
    type: z.literal('dram-model'),
    package: small,
    backgroundWatts: power,
    lineNanojoules: power,
  }),
  z.looseObject({
    type: z.literal('model'),
    package: small,
    idleWatts: power,
    maxWatts: power,
    gamma: z.number().positive(),
  }),
]);

const zone = z.looseObject({
  id: text,
  kind: text,
  name: text,
  package: small.nullish(),
  parent: text.nullish(),
  source: text.default('powercap'),
  origin: z.enum(['measured', 'modelled']).default('measured'),
  attributed: z.boolean().default(true),
  measure,
  /** How many readings of a window are this zone's. */
  readings: small.optional(),
  /** edge: read at each window's end, in the window's record; free: at its own times, in records of their own. */
  sampling: z.enum(['edge', 'free']).default('edge'),
});

const header = z.looseObject({
  type: z.literal('header'),
  format: z.literal(TRACE_FORMAT),
  version: z.int().min(1),
  writer: z.looseObject({ program: text, version: text.default('') }),
  host: text.default(''),
  clock: z.looseObject({ monotonicNanos: whole, unixNanos: whole }),
  topology: z.looseObject({ cpus: z.array(cpu).min(1), cpuDomains: z.array(cpuDomain).min(1) }),
  zones: z.array(zone),
  settings: z.looseObject({}).default({}),
});

const reading = z.looseObject({
  /** What the file said; or, of a perf event: */
  text: text.optional(),
  textLength: small.optional(),
  value: whole.optional(),
  enabledNanos: whole.optional(),
  runningNanos: whole.optional(),
  errno: small.optional(),
  beforeNanos: whole,
  afterNanos: whole,
});

const identity = z.looseObject({
  slot: small,
  sequence: small.default(0),
  tid: small,
  tgid: small,
  parentTgid: small.default(0),
  uid: small.default(0),
  tag: small.default(0),
  startBoottimeNanos: whole,
  processStartBoottimeNanos: whole.optional(),
  cgroupId: whole.default('0'),
  comm: text,
  processComm: text.optional(),
  kernelThread: flag,
  preexisting: flag,
});

const task = z.looseObject({
  slot: small,
  cpuDomain: small.default(0),
  runtimeNanos: duration,
  sliceNanos: duration,
  overlapNanos: duration,
  uncountedNanos: duration,
  uncountedOverlapNanos: duration,
  cycles: amount,
  instructions: amount,
  llcMisses: amount,
  vectorOps: amount,
  phiCycles: amount,
  phiInstructions: amount,
  phiVector: amount,
  uncountedPhiCycles: amount,
  packageOnNanos: duration,
  queueWaitNanos: duration,
  predictedCoreNanojoules: amount,
  predictedNanojoules: amount,
  voluntarySwitches: amount,
  involuntarySwitches: amount,
  migrations: amount,
  first: flag,
  dead: flag,
  groupDead: flag,
});

const cpuSample = z.looseObject({
  cpu: small,
  cpuDomain: small,
  online: z.boolean().default(true),
  taskNanos: duration,
  busyNanos: duration,
  unslottedNanos: duration,
  overflowNanos: duration,
  irqNanos: time.nullish(),
  stealNanos: time.nullish(),
  countedNanos: duration,
  cycles: amount,
  instructions: amount,
  predictedCoreNanojoules: amount,
  counterFailures: amount,
  multiplexedNanos: duration,
  frequencyKhz: count.nullish(),
  counting: flag,
  stats: z.record(z.string(), count).default({}),
});

const liveZone = z.looseObject({
  id: text,
  deltaMicrojoules: whole,
  entitiesMicrojoules: whole,
  idleMicrojoules: whole,
  irqMicrojoules: whole,
  igpuMicrojoules: whole.default('0'),
  unattributedMicrojoules: whole,
});

const window = z.looseObject({
  type: z.literal('window'),
  index: whole,
  startNanos: whole,
  endNanos: whole,
  dueNanos: whole.optional(),
  flushNanos: duration,
  energyReadNanos: duration,
  scanNanos: duration,
  threadCpuNanos: duration,
  boottimeOffsetNanos: signed.default('0'),
  realtimeNanos: whole,
  slotsUsed: small.default(0),
  slotsLimit: small.default(0),
  flushedCpus: small.default(0),
  final: flag,
  reseeded: flag,
  forced: flag,
  readings: z.array(reading).default([]),
  cpus: z.array(cpuSample),
  identities: z.array(identity).default([]),
  cgroups: z.array(z.looseObject({ id: whole, path: text })).default([]),
  users: z.array(z.looseObject({ uid: small, name: text })).default([]),
  tasks: z.array(task),
  overflow: z
    .array(z.looseObject({ cgroupId: whole, cpuDomain: small, runtimeNanos: time }))
    .default([]),
  /** What was read beside the window. */
  memory: z
    .looseObject({
      /** Of a cgroup: part of its memory on each NUMA node. */
      nodeShares: z
        .array(z.looseObject({ cgroupId: whole, shares: z.array(z.number()) }))
        .default([]),
      residentBytes: z.array(z.looseObject({ pid: small, bytes: count })).default([]),
    })
    .optional(),
  /** CPUs that cgroups have reserved. */
  reservations: z.array(z.looseObject({ cgroupId: whole, cpus: z.number().min(0) })).optional(),
  hasCoreScales: flag,
  /** From this window on, by CPU domain. */
  coefficients: z
    .array(
      z.looseObject({
        cycleNanojoules: z.number(),
        instructionNanojoules: z.number(),
        vectorNanojoules: z.number(),
        llcMissNanojoules: z.number(),
        coreWatts: z.number(),
        packageOnWatts: z.number(),
      }),
    )
    .optional(),
  /** What the writer itself made of the window: replay compares. */
  live: z
    .looseObject({
      zones: z.array(liveZone),
      tasks: z.looseObject({ package: z.array(count), dram: z.array(count) }),
    })
    .optional(),
});

const freeReading = z.looseObject({
  type: z.literal('reading'),
  zone: text,
  atNanos: whole,
  value: whole,
});

const gap = z.looseObject({ type: z.literal('gap'), windows: count });
const state = z.looseObject({ type: z.literal('state'), pipeline: z.unknown() });
const end = z.looseObject({ type: z.literal('end'), windows: count });

export const recordSchema = z.discriminatedUnion('type', [
  header,
  state,
  window,
  freeReading,
  gap,
  end,
]);

export type TraceRecord = z.output<typeof recordSchema>;
export type HeaderRecord = Extract<TraceRecord, { type: 'header' }>;
export type WindowRecord = Extract<TraceRecord, { type: 'window' }>;
export type ReadingRecord = Extract<TraceRecord, { type: 'reading' }>;
export type WireReading = WindowRecord['readings'][number];
export type WireTask = WindowRecord['tasks'][number];
export type WireCpu = WindowRecord['cpus'][number];
export type WireIdentity = WindowRecord['identities'][number];
export type WireZone = HeaderRecord['zones'][number];

/** Of a type that this version does not know: kept as it is. */
export interface UnknownRecord {
  readonly type: 'unknown';
  readonly json: Readonly<Record<string, unknown>>;
}

export type AnyRecord = TraceRecord | UnknownRecord;
export const KNOWN_TYPES: ReadonlySet<string> = new Set([
  'header',
  'state',
  'window',
  'reading',
  'gap',
  'end',
]);
