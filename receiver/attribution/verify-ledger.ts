// SPDX-License-Identifier: Apache-2.0
/**
 * The ledger's law, at any time: every accepted microjoule is somewhere, exactly once per level.
 * Tests, the soak and the running agent use this same check.
 */
import type { AttributedKind } from '../model/energy-domain.js';
import type { DomainTotals } from '../model/ledger-view.js';
import { attributedKind } from './attribute.js';
import type { EnergyAccount } from './energy-account.js';

/** All accounts of one level, remainders included: `processes`, `cgroups`, `names`, `users`. */
export interface Level {
  readonly name: string;
  readonly accounts: Iterable<EnergyAccount>;
}

interface Sums {
  package: bigint;
  dram: bigint;
  cpuNanos: bigint;
}

const KINDS: readonly AttributedKind[] = ['package', 'dram'];

const sumOf = (accounts: Iterable<EnergyAccount>): Sums => {
  const sums = { package: 0n, dram: 0n, cpuNanos: 0n };
  for (const account of accounts) {
    const energy = account.energy();
    sums.package += energy.package;
    sums.dram += energy.dram;
    sums.cpuNanos += account.cpuNanos();
  }
  return sums;
};

const domainDefects = (domain: DomainTotals): readonly string[] => {
  const nobody = [...domain.unattributed.values()].reduce<bigint>((sum, part) => sum + part, 0n);
  const { acceptedMicrojoules: accepted, entitiesMicrojoules: entities } = domain;
  const sum = entities + domain.idleMicrojoules + domain.irqMicrojoules + nobody;
  return sum === accepted
    ? []
    : [`${domain.domain.id}: parts are ${String(sum)} uJ, accepted ${String(accepted)} uJ`];
};

/** What does not close; empty if everything does. Cost: one pass over all accounts. */
export const ledgerDefects = (
  domains: readonly DomainTotals[],
  levels: readonly Level[],
  bookedNanos: bigint,
): readonly string[] => {
  const attributed = domains.filter(({ domain }) => domain.isAttributed);
  const defects = attributed.flatMap(domainDefects);
  for (const level of levels) {
    const sums = sumOf(level.accounts);
    for (const kind of KINDS) {
      const entities = attributed
        .filter(({ domain }) => attributedKind(domain) === kind)
        .reduce((sum, { entitiesMicrojoules }) => sum + entitiesMicrojoules, 0n);
      if (sums[kind] !== entities) {
        defects.push(
          `${level.name}: ${kind} is ${String(sums[kind])} uJ, domains say ${String(entities)} uJ`,
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
