// SPDX-License-Identifier: Apache-2.0
/** The most a domain can draw: above it a delta is no measurement. */
import type { EnergyDomainKind } from '../model/energy-domain.js';
import { largestConstraintWatts, type PowercapZone } from './powercap.js';

/** No package draws 2 kW; accelerators that do are not in it. */
const DEFAULT_PACKAGE_WATTS = 2000;
/** 24 DIMMs at 15 W, with head-room. */
const DEFAULT_DRAM_WATTS = 500;
/** A rack server with accelerators; 160 kW was seen from a faulty ACPI meter. */
const DEFAULT_PLATFORM_WATTS = 20_000;
/** Turbo goes beyond the long-term limit, and limits are raised while we run (power profiles of laptops). */
const LIMIT_HEADROOM = 2;
/** Short-term limits of mobile CPUs reach 157 W while the profile in force at start may say 10 W. */
const LEAST_LIMIT_WATTS = 160;

const DEFAULTS: Readonly<Record<EnergyDomainKind, number>> = {
  package: DEFAULT_PACKAGE_WATTS,
  die: DEFAULT_PACKAGE_WATTS,
  core: DEFAULT_PACKAGE_WATTS,
  uncore: DEFAULT_PACKAGE_WATTS,
  dram: DEFAULT_DRAM_WATTS,
  platform: DEFAULT_PLATFORM_WATTS,
};

/** Largest limit among the constraints of the package's zones, whatever source is read in the end. */
const packageLimitWatts = (
  zones: readonly PowercapZone[],
  packageId: number,
): number | undefined => {
  const limits = zones
    .filter((zone) => zone.kind === 'package' || zone.kind === 'die')
    .filter((zone) => zone.packageId === packageId)
    .map(largestConstraintWatts)
    .filter((limit) => limit !== undefined);
  return limits.length === 0 ? undefined : Math.max(...limits);
};

/**
 * Twice the largest constraint of the package for what is inside it, else a default by kind. DRAM has
 * constraints of its own on few machines and is not inside the package: by default only.
 */
export const maxPlausibleWatts = (
  zones: readonly PowercapZone[],
  kind: EnergyDomainKind,
  packageId: number | undefined,
  configuredWatts: number | undefined,
): number => {
  if (configuredWatts !== undefined) return configuredWatts;
  if (kind === 'dram' || kind === 'platform' || packageId === undefined) return DEFAULTS[kind];
  const limit = packageLimitWatts(zones, packageId);
  return limit === undefined ? DEFAULTS[kind] : Math.max(LEAST_LIMIT_WATTS, LIMIT_HEADROOM * limit);
};
