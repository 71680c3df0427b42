// SPDX-License-Identifier: Apache-2.0
/** What a cgroup has reserved of the CPUs, from its files. Pure; only ratios between cgroups count. */

/** cpu.weight of a cgroup that nobody set: it has reserved nothing. */
const DEFAULT_WEIGHT = 100;
/** cpu.shares likewise. */
const DEFAULT_SHARES = 1024;

const number = (text: string): number | undefined =>
  /^\d{1,19}$/.test(text.trim()) ? Number(text) : undefined;

/**
 * v2. Kubernetes makes it of requests: weight = 1 + (shares - 2) · 9999 / 262142, shares = 1024 · CPUs; the
 * inverse gives CPUs. Undefined at the default.
 */
export const cpusOfWeight = (text: string): number | undefined => {
  const weight = number(text);
  if (weight === undefined || weight < 1 || weight === DEFAULT_WEIGHT) return undefined;
  const shares = 2 + ((weight - 1) * 262_142) / 9_999;
  return shares / DEFAULT_SHARES;
};

/** v1. Undefined at the default. */
export const cpusOfShares = (text: string): number | undefined => {
  const shares = number(text);
  return shares === undefined || shares < 2 || shares === DEFAULT_SHARES
    ? undefined
    : shares / DEFAULT_SHARES;
};

/** v2: `max 100000` or `150000 100000`. Undefined without a limit. */
export const cpusOfMax = (text: string): number | undefined => {
  const [quota, period] = text.trim().split(/\s+/);
  const [most, per] = [number(quota ?? ''), number(period ?? '')];
  return most === undefined || per === undefined || per === 0 ? undefined : most / per;
};

/** v1: cpu.cfs_quota_us (-1 without a limit) and cpu.cfs_period_us. */
export const cpusOfQuota = (quotaText: string, periodText: string): number | undefined =>
  cpusOfMax(`${quotaText.trim()} ${periodText.trim()}`);
