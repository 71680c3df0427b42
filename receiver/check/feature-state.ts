// SPDX-License-Identifier: Apache-2.0
/** What a feature's probe really told: that it is missing, or only that it may not be tried. Pure. */
import type { KernelFeature } from '../activity/port.js';

export type FeatureState = 'available' | 'missing' | 'not-probed';

/** The addon's probes of capabilities, by their names. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['cap_bpf', 'CAP_BPF'],
  ['cap_perfmon', 'CAP_PERFMON'],
]);

export const capabilityOf = ({ name }: KernelFeature): string | undefined => CAPABILITIES.get(name);

/** Of those that the kernel side needs, in the order probed. */
export const missingCapabilities = (features: readonly KernelFeature[]): readonly string[] =>
  features.flatMap((feature) => (feature.isAvailable ? [] : (capabilityOf(feature) ?? [])));

/**
 * EPERM and EACCES say nothing about the kernel while a capability is missing. With both held they
 * do: the verifier answers EACCES, seccomp EPERM.
 */
export const featureState = (
  feature: KernelFeature,
  features: readonly KernelFeature[],
): FeatureState => {
  if (feature.isAvailable) return 'available';
  const isDenied = feature.code === 'EPERM' || feature.code === 'EACCES';
  const mayNot = isDenied && missingCapabilities(features).length > 0;
  return mayNot && capabilityOf(feature) === undefined ? 'not-probed' : 'missing';
};
