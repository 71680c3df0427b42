// SPDX-License-Identifier: Apache-2.0
/**
 * What an energy counter covers, and which domains contain which.
 *
 * `package` and `dram` are disjoint on servers and are what gets attributed. `core` and `uncore` are
 * inside a package, `die` domains make up a package; `platform` (psys, wall meter, battery)
 * contains everything. Only disjoint domains may ever be summed.
 */
export type EnergyDomainKind = 'package' | 'die' | 'core' | 'uncore' | 'dram' | 'platform';

/** Where a joule comes from: a counter, or an estimate. */
export type EnergyOrigin = 'measured' | 'modelled';
/**
 * How a domain's joules were split: by hardware counters, by CPU time (with frequency and shared cores),
 * by the seed article's formula, or (memory only) by resident memory.
 */
export type SplitMethod = 'counters' | 'time' | 'seed' | 'rss';
export type EnergySourceKind = 'perf' | 'powercap' | 'hwmon' | 'power-supply' | 'model';

export interface EnergyDomain {
  /** Unique on the host and stable over restarts, e.g. `intel-rapl:0`, `power/energy-pkg:0`. Becomes `hw.id`. */
  readonly id: string;
  readonly kind: EnergyDomainKind;
  /** As the kernel names it: `package-0`, `dram`, `psys`. Becomes `hw.name`. */
  readonly name: string;
  /** Physical package; undefined for the platform. */
  readonly packageId: number | undefined;
  /** Set where a `core` domain is one core of the package (AMD); elsewhere it is all of them. */
  readonly coreId?: number;
  /** The domain that contains this one. Becomes `hw.parent`. */
  readonly parentId: string | undefined;
  readonly source: EnergySourceKind;
  readonly origin: EnergyOrigin;
  /** Its joules are split among entities; false for domains inside or around an attributed one. */
  readonly isAttributed: boolean;
}

/** The disjoint attribute every attributed joule carries (`wattfeed.domain`). */
export type AttributedKind = 'package' | 'dram';

export interface PrintedDomain extends Pick<
  EnergyDomain,
  'id' | 'kind' | 'name' | 'source' | 'origin'
> {
  readonly packageId: number | null;
  readonly parentId: string | null;
}

/** As reports and `check` print a domain: JSON has no undefined. */
export const printedDomain = (domain: EnergyDomain): PrintedDomain => ({
  id: domain.id,
  kind: domain.kind,
  name: domain.name,
  packageId: domain.packageId ?? null,
  parentId: domain.parentId ?? null,
  source: domain.source,
  origin: domain.origin,
});
