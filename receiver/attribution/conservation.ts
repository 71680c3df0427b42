// SPDX-License-Identifier: Apache-2.0
/** The law every split must obey, checked in the running agent and not only in tests. */
import type { DomainBalance } from '../model/window.js';

/**
 * The largest delta of one window that is split: 2^52 uJ are 4.5 GJ, 1.2 MW for the longest window.
 * Below it a double holds every microjoule.
 */
const LARGEST_DELTA_MICROJOULES = 2n ** 52n;

const isNegative = (energy: bigint): boolean => energy < 0n;

/** Why a delta cannot be split at all; undefined if it can. */
export const deltaDefect = (deltaMicrojoules: bigint): string | undefined => {
  if (isNegative(deltaMicrojoules)) return `negative delta of ${String(deltaMicrojoules)} uJ`;
  return deltaMicrojoules > LARGEST_DELTA_MICROJOULES
    ? `delta of ${String(deltaMicrojoules)} uJ is beyond 2^52`
    : undefined;
};

/** What is wrong with a balance; undefined if entities + idle + irq + igpu + unattributed = delta. */
export const balanceDefect = (balance: DomainBalance): string | undefined => {
  const { deltaMicrojoules, entitiesMicrojoules, idleMicrojoules, irqMicrojoules } = balance;
  const { igpuMicrojoules } = balance;
  const parts = [
    entitiesMicrojoules,
    idleMicrojoules,
    irqMicrojoules,
    igpuMicrojoules,
    ...balance.unattributed.values(),
  ];
  const sum = parts.reduce<bigint>((all, part) => all + part, 0n);
  return sum === deltaMicrojoules && !parts.some(isNegative)
    ? undefined
    : `parts ${parts.join(' + ')} = ${String(sum)} uJ, delta ${String(deltaMicrojoules)} uJ`;
};
