// SPDX-License-Identifier: Apache-2.0
/**
 * What every entity burned since the last time, as rows of a CSV file; pure. Per level the rows' sum is
 * what the level was given: what has no row of its own (ended in between, over a cap) is in `(rest)`.
 */
import type { DomainTotals, LedgerView, Remainder } from '../model/ledger-view.js';
import { WORKLOAD_LEVELS, processKey, type WorkloadFacts } from '../model/ledger-view.js';
import { joulesOf, microjoules, nanos, secondsOf } from '../model/units.js';
import type { Readings } from './lane.js';
import { readingsOf } from './readings.js';

export const CSV_HEADER =
  'time,seconds,level,id,name,cgroup_id,package_joules,dram_joules,cpu_seconds\n';

interface Entity {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly cgroupId: string;
  readonly readings: Readings;
}

const NOTHING: Readings = { package: 0n, dram: 0n, cpu: 0n };

const plus = (a: Readings, b: Readings): Readings => ({
  package: a.package + b.package,
  dram: a.dram + b.dram,
  cpu: a.cpu + b.cpu,
});

const minus = (a: Readings, b: Readings): Readings => ({
  package: a.package - b.package,
  dram: a.dram - b.dram,
  cpu: a.cpu - b.cpu,
});

const isZero = ({ package: pkg, dram, cpu }: Readings): boolean =>
  pkg === 0n && dram === 0n && cpu === 0n;

const hasFallen = (now: Readings, before: Readings): boolean =>
  now.package < before.package || now.dram < before.dram || now.cpu < before.cpu;

/** RFC 4180; a leading `=`, `+`, `-` or `@` would be a formula to a spreadsheet. */
const cell = (text: string): string => {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const factsText = (facts: WorkloadFacts): readonly [id: string, name: string] => {
  switch (facts._tag) {
    case 'container':
      return [facts.container.id, facts.container.name ?? facts.container.runtime ?? ''];
    case 'pod':
      return [facts.pod.uid, facts.pod.system];
    case 'job':
      return [facts.id, facts.user ?? facts.system];
    case 'unit':
      return [facts.unit.name, facts.user ?? facts.slice ?? ''];
    case 'user':
      return [String(facts.uid), facts.user];
    case 'name':
      return [facts.name, facts.name];
  }
};

interface LevelNow {
  readonly name: string;
  readonly entities: Iterable<Entity>;
  readonly remainders: readonly Remainder[];
}

function* processesOf(ledger: LedgerView): Generator<Entity, void> {
  for (const { identity, ...sums } of ledger.processes()) {
    yield {
      key: processKey(identity.pid, identity.startBoottimeNanos),
      id: String(identity.pid),
      name: identity.name,
      cgroupId: String(identity.cgroupId),
      readings: readingsOf(sums),
    };
  }
}

function* cgroupsOf(ledger: LedgerView): Generator<Entity, void> {
  for (const { id, path, ...sums } of ledger.cgroups()) {
    const text = String(id);
    yield { key: text, id: text, name: path, cgroupId: text, readings: readingsOf(sums) };
  }
}

const levelsOf = (ledger: LedgerView): readonly LevelNow[] => {
  const overflow = ledger.overflow();
  return [
    {
      name: 'process',
      entities: processesOf(ledger),
      remainders: [ledger.exitedProcesses(), overflow.processes],
    },
    {
      name: 'cgroup',
      entities: cgroupsOf(ledger),
      remainders: [ledger.exitedCgroups(), overflow.cgroups],
    },
    ...WORKLOAD_LEVELS.map((level) => ({
      name: level,
      entities: Array.from(ledger.workloads(level), ({ key, facts, ...sums }): Entity => {
        const [id, name] = factsText(facts);
        return { key, id, name, cgroupId: '', readings: readingsOf(sums) };
      }),
      remainders: [ledger.exitedWorkloads(level), ledger.overflowWorkloads(level)],
    })),
  ];
};

/** Idle, interrupts, graphics and what is nobody's, by the counter. */
const domainParts = (domain: DomainTotals): readonly (readonly [string, bigint])[] => [
  ['idle', domain.idleMicrojoules],
  ['irq', domain.irqMicrojoules],
  ['igpu', domain.igpuMicrojoules],
  ...[...domain.unattributed].map(
    ([reason, energy]) => [`unattributed ${reason}`, energy] as const,
  ),
];

export class CsvRows {
  private readonly before = new Map<string, Readings>();
  private readonly totals = new Map<string, Readings>();

  /** Rows of what was burned since the call before; `seconds` is that long. */
  public next(ledger: LedgerView, isoTime: string, seconds: number): readonly string[] {
    const rows: string[] = [];
    const line = (level: string, entity: Omit<Entity, 'key'>): void => {
      const { id, name, cgroupId, readings } = entity;
      rows.push(
        [
          isoTime,
          seconds.toFixed(3),
          level,
          cell(id),
          cell(name),
          cgroupId,
          joulesOf(microjoules(readings.package)).toFixed(6),
          joulesOf(microjoules(readings.dram)).toFixed(6),
          secondsOf(nanos(readings.cpu)).toFixed(6),
        ].join(',') + '\n',
      );
    };
    for (const level of levelsOf(ledger)) this.addLevel(level, line);
    this.addDomains(ledger.domains(), line);
    return rows;
  }

  private addLevel(
    { name, entities, remainders }: LevelNow,
    line: (level: string, entity: Omit<Entity, 'key'>) => void,
  ): void {
    const seen = new Map<string, Readings>();
    let total = remainders.map(readingsOf).reduce(plus, NOTHING);
    let own = NOTHING;
    for (const entity of entities) {
      const key = `${name}\n${entity.key}`;
      total = plus(total, entity.readings);
      seen.set(key, entity.readings);
      const known = this.before.get(key) ?? NOTHING;
      // Less than before: it went into the remainder and began again.
      const burned = minus(entity.readings, hasFallen(entity.readings, known) ? NOTHING : known);
      own = plus(own, burned);
      if (!isZero(burned)) line(name, { ...entity, readings: burned });
    }
    for (const key of this.before.keys())
      if (key.startsWith(`${name}\n`) && !seen.has(key)) this.before.delete(key);
    for (const [key, readings] of seen) this.before.set(key, readings);
    const rest = minus(minus(total, this.totals.get(name) ?? NOTHING), own);
    this.totals.set(name, total);
    if (!isZero(rest)) line(name, { id: '', name: '(rest)', cgroupId: '', readings: rest });
  }

  private addDomains(
    domains: readonly DomainTotals[],
    line: (level: string, entity: Omit<Entity, 'key'>) => void,
  ): void {
    for (const totals of domains.filter(({ domain }) => domain.isAttributed)) {
      for (const [name, energy] of domainParts(totals)) {
        const key = `domain\n${totals.domain.id}\n${name}`;
        const now = { ...NOTHING, [totals.domain.kind === 'dram' ? 'dram' : 'package']: energy };
        const burned = minus(now, this.before.get(key) ?? NOTHING);
        this.before.set(key, now);
        if (isZero(burned)) continue;
        line('domain', { id: totals.domain.id, name, cgroupId: '', readings: burned });
      }
    }
  }
}
