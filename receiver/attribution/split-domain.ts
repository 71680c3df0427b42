// SPDX-License-Identifier: Apache-2.0
/**
 * One domain's delta among its claims. With E the delta:
 *
 *   idle   = min(P_idle · span, E - igpu)      its own bucket, unless a policy hands it out
 *   active = E - igpu - idle
 *   cores known:  share_i = core · c_i / Σc + (active - core) · n_i / Σn
 *   else:         share_i = active · (c_i + n_i) / Σ(c + n)
 *
 * Whole microjoules by largest remainders, so that entities + idle + irq + igpu + unattributed = E.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import { microjoules, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules } from '../model/units.js';
import type { DomainBalance, UnattributedReason } from '../model/window.js';
import type { Advance } from './advances.js';
import { apportion } from './apportion.js';
import { claimsOn, FIXED_CLAIMS, type Claims } from './claims.js';
import type { MemoryUse } from './dram-weights.js';
import { idleWeights, type IdlePolicy, type Reservations } from './idle-policy.js';
import type { WindowWeights } from './weights.js';

export interface SplitContext {
  readonly window: ActivityWindow;
  readonly topology: HostTopology;
  readonly weights: WindowWeights;
  /** By CPU domain: those that the weights were made with. */
  readonly coefficients: readonly Coefficients[];
  readonly memory: MemoryUse | undefined;
  readonly idlePolicy: IdlePolicy;
  readonly reservations: Reservations;
}

export interface DomainSplit {
  readonly balance: DomainBalance;
  /** Undefined where no entity gets anything. */
  readonly granted: { readonly claims: Claims; readonly shares: Float64Array } | undefined;
}

type Parts = Partial<
  Pick<
    DomainBalance,
    | 'entitiesMicrojoules'
    | 'idleMicrojoules'
    | 'irqMicrojoules'
    | 'igpuMicrojoules'
    | 'coreMicrojoules'
    | 'locatedShare'
  >
>;

export const balanceOf = (
  advance: Advance,
  weights: WindowWeights,
  parts: Parts,
  unattributed: readonly (readonly [UnattributedReason, Microjoules])[],
): DomainBalance => ({
  domain: advance.domain,
  split: advance.kind === 'dram' ? weights.memorySplit : weights.split,
  countedShare: weights.countedShare,
  locatedShare: parts.locatedShare,
  deltaMicrojoules: advance.deltaMicrojoules,
  spanNanos: advance.spanNanos,
  missedNanos: advance.missedNanos,
  entitiesMicrojoules: parts.entitiesMicrojoules ?? ZERO_MICROJOULES,
  idleMicrojoules: parts.idleMicrojoules ?? ZERO_MICROJOULES,
  irqMicrojoules: parts.irqMicrojoules ?? ZERO_MICROJOULES,
  igpuMicrojoules: parts.igpuMicrojoules ?? ZERO_MICROJOULES,
  unattributed: new Map(unattributed.filter(([, energy]) => energy > 0n)),
  idleFloorWatts: advance.floorWatts,
  coreMicrojoules: parts.coreMicrojoules,
});

const addInto = (sum: Float64Array, part: Float64Array): Float64Array => {
  for (let at = 0; at < part.length; at++) sum[at] = (sum[at] ?? 0) + (part[at] ?? 0);
  return sum;
};

const hasAny = (weights: Float64Array): boolean => weights.some((weight) => weight > 0);

/** Both pools by their own weights; a pool that nobody weighs in goes by the other's. */
const activeShares = (
  active: number,
  core: number | undefined,
  { core: coreWeights, uncore }: Claims,
): Float64Array => {
  if (uncore === undefined) return apportion(active, coreWeights);
  if (core === undefined || !hasAny(coreWeights) || !hasAny(uncore))
    return apportion(active, addInto(coreWeights.slice(), uncore));
  return addInto(apportion(core, coreWeights), apportion(active - core, uncore));
};

const sumOf = (shares: Float64Array, from: number, to: number): number => {
  let sum = 0;
  for (let at = from; at < to; at++) sum += shares[at] ?? 0;
  return sum;
};

const exact = (value: number): Microjoules => microjoules(BigInt(value));

const splitAmong = (claims: Claims, advance: Advance, context: SplitContext): DomainSplit => {
  const { weights, idlePolicy } = context;
  const { igpuMicrojoules, idleMicrojoules, coreMicrojoules, deltaMicrojoules } = advance;
  const { locatedShare } = claims;
  if (!claims.isAnyPositive) {
    const idle = microjoules(deltaMicrojoules - igpuMicrojoules);
    const parts = { idleMicrojoules: idle, igpuMicrojoules, locatedShare };
    return { balance: balanceOf(advance, weights, parts, []), granted: undefined };
  }
  const active = Number(deltaMicrojoules - igpuMicrojoules - idleMicrojoules);
  const core = coreMicrojoules === undefined ? undefined : Number(coreMicrojoules);
  const shares = activeShares(active, core, claims);
  const rowCount = shares.length - FIXED_CLAIMS;
  const idleBy = idleWeights(idlePolicy, claims, shares, context);
  const handedOut = idleBy && apportion(Number(idleMicrojoules), idleBy);
  const idleGiven = handedOut === undefined ? 0 : sumOf(handedOut, 0, rowCount);
  if (handedOut !== undefined) addInto(shares, handedOut);
  const parts = {
    entitiesMicrojoules: exact(sumOf(shares, 0, rowCount)),
    idleMicrojoules: microjoules(idleMicrojoules - BigInt(idleGiven)),
    irqMicrojoules: exact(shares[rowCount] ?? 0),
    igpuMicrojoules,
    coreMicrojoules: claims.uncore === undefined ? undefined : coreMicrojoules,
    locatedShare,
  };
  const balance = balanceOf(advance, weights, parts, [
    ['unslotted', exact(shares[rowCount + 1] ?? 0)],
    ['overflow', exact(shares[rowCount + 2] ?? 0)],
  ]);
  return { balance, granted: { claims, shares } };
};

export const splitDomain = (advance: Advance, context: SplitContext): DomainSplit => {
  const { window, weights, topology, memory } = context;
  const result = claimsOn(advance.domain, window, weights, topology, memory);
  if (result._tag === 'Claims') return splitAmong(result.claims, advance, context);
  const { idleMicrojoules, igpuMicrojoules, deltaMicrojoules } = advance;
  const rest = microjoules(deltaMicrojoules - idleMicrojoules - igpuMicrojoules);
  const reason = result._tag === 'UnknownPackage' ? 'unknown-package' : 'no-activity';
  const parts = { idleMicrojoules, igpuMicrojoules };
  return { balance: balanceOf(advance, weights, parts, [[reason, rest]]), granted: undefined };
};
