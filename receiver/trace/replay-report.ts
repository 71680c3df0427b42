// SPDX-License-Identifier: Apache-2.0
/**
 * What a replay prints: energies as decimal strings of whole microjoules, so that every sum can be
 * checked by its reader. Pure; entities in a fixed order.
 */
import { secondsOf, nanos } from '../model/units.js';
import { printedDomain } from '../model/energy-domain.js';
import type { DomainSum } from './domain-sums.js';
import type { ZoneSums } from './entity-zones.js';
import type { Replay } from './replay.js';

export const REPLAY_SCHEMA = 1;

/** A line that could not be used. */
export interface LineProblem {
  readonly line: number;
  readonly cause: string;
}

const NO_ZONES: ZoneSums = new Map();

const zonesOf = (zones: ZoneSums): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...zones].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, energy]) => [zone, String(energy)]),
  );

const sumOf = (values: Iterable<bigint>): bigint => {
  let sum = 0n;
  for (const value of values) sum += value;
  return sum;
};

const domainRow = (sum: DomainSum) => {
  const unattributed = sumOf(sum.unattributed.values());
  const parts = sum.entities + sum.idle + sum.irq + sum.igpu + unattributed;
  return {
    ...printedDomain(sum.domain),
    isAttributed: sum.domain.isAttributed,
    splits: Object.fromEntries(sum.splits),
    measuredMicrojoules: String(sum.measured),
    ...(sum.domain.isAttributed
      ? {
          entitiesMicrojoules: String(sum.entities),
          idleMicrojoules: String(sum.idle),
          irqMicrojoules: String(sum.irq),
          igpuMicrojoules: String(sum.igpu),
          unattributedMicrojoules: Object.fromEntries(
            [...sum.unattributed].map(([reason, energy]) => [reason, String(energy)]),
          ),
          closes: parts === sum.measured,
        }
      : {}),
    windows: { advanced: sum.advanced, rejected: sum.rejected, failed: sum.failed },
  };
};

/** entities of all domains = what all entities have, by kind. */
const kindSums = (replay: Replay) => {
  const { entities } = replay.state ?? {};
  return (['package', 'dram'] as const).map((kind) => {
    const ofDomains = sumOf(
      [...replay.domains.byId.values()]
        .filter(
          ({ domain }) => domain.isAttributed && (domain.kind === 'dram') === (kind === 'dram'),
        )
        .map((sum) => sum.entities),
    );
    const inZones = (zones: ZoneSums): bigint =>
      sumOf(
        [...zones].filter(([zone]) => zone.startsWith(kind)).map(([, energy]) => BigInt(energy)),
      );
    const ofProcesses =
      sumOf([...(entities?.processes.values() ?? [])].map(({ zones }) => inZones(zones))) +
      inZones(entities?.overflow ?? NO_ZONES);
    const ofCgroups = sumOf(
      [...(entities?.cgroups.values() ?? [])].map(({ zones }) => inZones(zones)),
    );
    return {
      kind,
      domainsMicrojoules: String(ofDomains),
      processesMicrojoules: String(ofProcesses),
      cgroupsMicrojoules: String(ofCgroups),
      closes: ofDomains === ofProcesses && ofDomains === ofCgroups,
    };
  });
};

export interface ReportContext {
  readonly path: string;
  readonly problems: readonly LineProblem[];
  readonly lostLines: number;
}

const entityRows = (replay: Replay) => {
  const { entities } = replay.state ?? {};
  const pathOf = (id: bigint): string => replay.cgroupPaths.get(id) ?? `(${String(id)})`;
  const processes = [...(entities?.processes.values() ?? [])].sort(
    (a, b) => a.pid - b.pid || Number(a.startBoottimeNanos - b.startBoottimeNanos),
  );
  const cgroups = [...(entities?.cgroups.values() ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    processes: processes.map((process) => ({
      pid: process.pid,
      startBoottimeNanos: String(process.startBoottimeNanos),
      name: process.name,
      user: replay.userNames.get(process.uid) ?? String(process.uid),
      cgroup: pathOf(process.cgroupId),
      hasExited: process.hasExited,
      cpuNanos: String(process.cpuNanos),
      microjoules: zonesOf(process.zones),
    })),
    cgroups: cgroups.map(({ id, cpuNanos, zones }) => ({
      id: String(id),
      path: pathOf(id),
      cpuNanos: String(cpuNanos),
      microjoules: zonesOf(zones),
    })),
    overflow: { microjoules: zonesOf(entities?.overflow ?? NO_ZONES) },
  };
};

/** What was in effect, in the end. */
const splitOf = (replay: Replay) => {
  const { options, pipeline } = replay.state ?? {};
  return {
    settings: options?.settings ?? null,
    idleWatts: options?.idleWatts ?? null,
    isCalibrating: options?.isCalibrating ?? false,
    coefficients: pipeline?.coefficients() ?? [],
  };
};

export const replayReport = (replay: Replay, { path, problems, lostLines }: ReportContext) => {
  const domains = [...replay.domains.byId.values()].map(domainRow);
  const kinds = kindSums(replay);
  const ledgerDefects = replay.state?.ledger.verify() ?? [];
  const defects = [...replay.domains.defects, ...ledgerDefects];
  const { live } = replay;
  return {
    schema: REPLAY_SCHEMA,
    trace: {
      path,
      writer: replay.state?.header.writer ?? null,
      host: replay.state?.header.host ?? '',
      windows: replay.windows,
      firstIndex: String(replay.firstIndex ?? ''),
      lastIndex: String(replay.lastIndex ?? ''),
      seconds: secondsOf(nanos((replay.endNanos ?? 0n) - (replay.startNanos ?? 0n))),
      skippedWindows: replay.skippedWindows,
      unknownRecords: replay.unknownRecords,
      hasEnd: replay.hasEnd,
      problems,
      lostLines,
    },
    split: splitOf(replay),
    conservation: {
      closes:
        defects.length === 0 &&
        kinds.every(({ closes }) => closes) &&
        domains.every((domain) => !('closes' in domain) || domain.closes),
      balances: replay.domains.balances,
      kinds,
      defects,
    },
    ...(live.compared === 0
      ? {}
      : {
          live: {
            comparedWindows: live.compared,
            equalWindows: live.equal,
            differences: live.differences,
          },
        }),
    domains,
    ...entityRows(replay),
  };
};

export type ReplayReport = ReturnType<typeof replayReport>;
