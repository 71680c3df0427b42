// SPDX-License-Identifier: Apache-2.0
/** The agent's reports as test/vm/guest/agent.mjs kept them, and the counters' readings beside them. */
import { z } from 'zod';

import type { Run } from './files.js';

const microjoules = z.string().transform((text) => BigInt(text));
const count = z.number();

const domainRow = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  packageId: count.nullable(),
  source: z.string(),
  origin: z.string(),
  state: z.string(),
  acceptedMicrojoules: microjoules,
  // Null where the domain is not attributed.
  entitiesMicrojoules: microjoules.nullable(),
  idleMicrojoules: microjoules.nullable(),
  irqMicrojoules: microjoules.nullable(),
  igpuMicrojoules: microjoules.nullable(),
  unattributedMicrojoules: microjoules.nullable(),
});

/** Null: the machine has no such domain. */
const joules = count.nullable();
const energyRow = z.object({ packageJoules: joules, dramJoules: joules, cpuSeconds: count });
const processRow = energyRow.extend({ pid: count, name: z.string(), isExited: z.boolean() });
const nameRow = energyRow.extend({ name: z.string() });

const report = z.object({
  window: z.object({ index: microjoules, endNanos: microjoules }),
  source: z.object({ origin: z.string(), label: z.string() }),
  domains: z.array(domainRow),
  processes: z.array(processRow),
  exitedProcesses: energyRow,
  /** Sums by command name, living and ended processes alike, and of those for which there was no room. */
  names: z.array(nameRow),
  overflowNames: energyRow,
});

export type Report = z.infer<typeof report>;
export type Domain = z.infer<typeof domainRow>;
export type ProcessEnergy = z.infer<typeof processRow>;

export const readReports = (run: Run, name: string): readonly Report[] =>
  run.lines(`${name}.ndjson`).map((line) => report.parse(JSON.parse(line)));

/** The domains that are split among processes: packages and memory nodes. */
export const isAttributedKind = (domain: Domain): boolean =>
  domain.kind === 'package' || domain.kind === 'dram';

/** Its name in the truth. */
export const zoneNameOf = (domain: Domain): string =>
  `${domain.kind}-${(domain.packageId ?? 0).toString()}`;

export interface CounterReading {
  readonly atNanos: bigint;
  readonly zone: string;
  readonly isPerf: boolean;
  readonly trueNanojoules: bigint;
}

export const readReadings = (run: Run, name: string): readonly CounterReading[] =>
  run
    .rows(`${name}.reads`)
    .filter(([first]) => first?.startsWith('#') === false)
    .map(([atNanos, zone, source, , , trueNanojoules]) => ({
      atNanos: BigInt(atNanos ?? ''),
      zone: zone ?? '',
      isPerf: source === 'perf',
      trueNanojoules: BigInt(trueNanojoules ?? ''),
    }));

/** The reading that a window ended with: energy is read right after its flush. */
export const readingOfWindow = (
  readings: readonly CounterReading[],
  zone: string,
  isPerf: boolean,
  windowEndNanos: bigint,
): CounterReading | undefined =>
  readings.find(
    (one) => one.zone === zone && one.isPerf === isPerf && one.atNanos >= windowEndNanos,
  );

export interface Phase {
  readonly fromNanos: bigint;
  readonly name: string;
}

export const readPhases = (run: Run, name: string): readonly Phase[] =>
  run.rows(`${name}.phases`).map(([from, phase]) => ({
    fromNanos: BigInt(from ?? ''),
    name: phase ?? '',
  }));

/** The phase in which a window ended. */
export const phaseAt = (phases: readonly Phase[], nanos: bigint): string =>
  phases.findLast((phase) => phase.fromNanos <= nanos)?.name ?? 'start';
