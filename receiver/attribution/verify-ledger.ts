// SPDX-License-Identifier: Apache-2.0
/**
 * The ledger's law, at any time: every accepted microjoule is somewhere, exactly once per level.
 * Tests, the soak and the running agent use this same check.
 */
import type { AttributedKind } from '../model/energy-domain.js';
import type { DomainTotals } from '../model/ledger-view.js';
import { attributedKind } from './attribute.js';
import { EnergyAccount } from './energy-account.js';

/** All accounts of one level, remainders included: `processes`, `cgroups`, `names`, `users`, `threads`. */
export interface Level {
  readonly name: string;
  readonly accounts: Iterable<EnergyAccount>;
  /** What was given to entities before this level began to be kept; nothing if it always was. */
  readonly before?: EntitySums | undefined;
}

export type EntitySums = Readonly<Record<AttributedKind | 'cpuNanos', bigint>>;

const KINDS: readonly AttributedKind[] = ['package', 'dram'];

const NOTHING: EntitySums = { package: 0n, dram: 0n, cpuNanos: 0n };

const sumOf = (accounts: Iterable<EnergyAccount>, before: EntitySums): EntitySums => {
  const total = new EnergyAccount();
  for (const account of accounts) total.addSums(account);
  const { package: ofPackage, dram } = total.energy();
  return {
    package: before.package + ofPackage,
    dram: before.dram + dram,
    cpuNanos: before.cpuNanos + total.cpuNanos(),
  };
};

const domainDefects = (domain: DomainTotals): readonly string[] => {
  const nobody = [...domain.unattributed.values()].reduce<bigint>((sum, part) => sum + part, 0n);
  const { acceptedMicrojoules: accepted, entitiesMicrojoules: entities } = domain;
  const { idleMicrojoules: idle, irqMicrojoules: irq, igpuMicrojoules: igpu } = domain;
  const sum = entities + idle + irq + igpu + nobody;
  return sum === accepted
    ? []
    : [`${domain.domain.id}: parts are ${String(sum)} uJ, accepted ${String(accepted)} uJ`];
};

/** What all entities of any one level together were given since start. */
export const entitySums = (domains: readonly DomainTotals[], bookedNanos: bigint): EntitySums => {
  const ofKind = (kind: AttributedKind): bigint =>
    domains
      .filter(({ domain }) => domain.isAttributed && attributedKind(domain) === kind)
      .reduce<bigint>((sum, { entitiesMicrojoules }) => sum + entitiesMicrojoules, 0n);
  return { package: ofKind('package'), dram: ofKind('dram'), cpuNanos: bookedNanos };
};

/** What does not close; empty if everything does. Cost: one pass over all accounts. */
export const ledgerDefects = (
  domains: readonly DomainTotals[],
  levels: readonly Level[],
  bookedNanos: bigint,
): readonly string[] => {
  const defects = domains.filter(({ domain }) => domain.isAttributed).flatMap(domainDefects);
  const entities = entitySums(domains, bookedNanos);
  for (const level of levels) {
    const sums = sumOf(level.accounts, level.before ?? NOTHING);
    for (const kind of KINDS) {
      if (sums[kind] !== entities[kind]) {
        defects.push(
          `${level.name}: ${kind} is ${String(sums[kind])} uJ, domains say ${String(entities[kind])} uJ`,
        );
      }
    }
    if (sums.cpuNanos !== bookedNanos) {
      defects.push(
        `${level.name}: CPU time is ${String(sums.cpuNanos)} ns, booked ${String(bookedNanos)} ns`,
      );
    }
  }
  return defects;
};
