// SPDX-License-Identifier: Apache-2.0
/**
 * One window's joules to whoever caused them. Per attributed domain:
 *
 *   idle   = min(delta, P_idle * span)           its own bucket, never mixed into processes
 *   active = delta - idle                        split by the model's weights among tasks,
 *                                                slot-less task time, interrupts and nobody
 *   entities + idle + irq + unattributed = delta, exactly, in integer microjoules
 *
 * No activity at all: everything is idle. No floor known yet and something ran: everything is active.
 */
import type { ActivityWindow } from '../model/activity.js';
import type { AttributedKind, EnergyDomain } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';
import { energyOf, microjoules, ZERO_MICROJOULES } from '../model/units.js';
import type { Microjoules, Nanos, Watts } from '../model/units.js';
import type {
  DomainBalance,
  DomainReading,
  TaskShare,
  UnattributedReason,
  WindowShares,
} from '../model/window.js';
import { apportion } from './apportion.js';
import { claimsOn, type Claims } from './claims.js';
import { balanceDefect, deltaDefect } from './conservation.js';
import { timeModel } from './time-model.js';
import type { WeightModel, WindowWeights } from './weights.js';

export interface AttributionInput {
  readonly window: ActivityWindow;
  readonly readings: readonly DomainReading[];
  readonly topology: HostTopology;
  /** By domain id; undefined or missing while no floor is known. A model's idle power is one too. */
  readonly idleFloors: ReadonlyMap<string, Watts | undefined>;
}

/** A balance that did not close: a defect of ours. The domain's window went to `inconsistent`. */
export interface Inconsistency {
  readonly domainId: string;
  readonly windowIndex: bigint;
  readonly detail: string;
}

export interface WindowAttribution {
  /** One per attributed domain that advanced, in the order of the readings. */
  readonly balances: readonly DomainBalance[];
  readonly shares: WindowShares;
  readonly inconsistencies: readonly Inconsistency[];
}

/** One domain's delta to be split. */
interface Advance {
  readonly domain: EnergyDomain;
  readonly kind: AttributedKind;
  readonly deltaMicrojoules: Microjoules;
  readonly spanNanos: Nanos;
  readonly floorWatts: Watts | undefined;
}

interface DomainSplit {
  readonly balance: DomainBalance;
  /** Undefined where no entity gets anything. */
  readonly granted: { readonly claims: Claims; readonly shares: Float64Array } | undefined;
}

/** Memory is memory; anything else that is attributed (a package, its dies, a host model) is CPU. */
export const attributedKind = (domain: EnergyDomain): AttributedKind =>
  domain.kind === 'dram' ? 'dram' : 'package';

const floorEnergy = ({ floorWatts, spanNanos, deltaMicrojoules }: Advance): Microjoules => {
  if (floorWatts === undefined || !(floorWatts > 0)) return ZERO_MICROJOULES;
  const floor = energyOf(floorWatts, spanNanos);
  return floor < deltaMicrojoules ? floor : deltaMicrojoules;
};

const balanceOf = (
  advance: Advance,
  weights: WindowWeights,
  parts: Partial<Pick<DomainBalance, 'entitiesMicrojoules' | 'idleMicrojoules' | 'irqMicrojoules'>>,
  unattributed: readonly (readonly [UnattributedReason, Microjoules])[],
): DomainBalance => ({
  domain: advance.domain,
  split: weights.split,
  deltaMicrojoules: advance.deltaMicrojoules,
  spanNanos: advance.spanNanos,
  entitiesMicrojoules: parts.entitiesMicrojoules ?? ZERO_MICROJOULES,
  idleMicrojoules: parts.idleMicrojoules ?? ZERO_MICROJOULES,
  irqMicrojoules: parts.irqMicrojoules ?? ZERO_MICROJOULES,
  unattributed: new Map(unattributed.filter(([, energy]) => energy > 0n)),
  idleFloorWatts: advance.floorWatts,
});

const splitAmong = (claims: Claims, advance: Advance, weights: WindowWeights): DomainSplit => {
  if (!claims.isAnyPositive) {
    const balance = balanceOf(advance, weights, { idleMicrojoules: advance.deltaMicrojoules }, []);
    return { balance, granted: undefined };
  }
  const idleMicrojoules = floorEnergy(advance);
  const shares = apportion(Number(advance.deltaMicrojoules - idleMicrojoules), claims.weights);
  const rowCount = claims.taskRows.length + claims.overflowRows.length;
  const fixed = (at: number): Microjoules => microjoules(BigInt(shares[rowCount + at] ?? 0));
  const entities = shares.subarray(0, rowCount).reduce((sum, share) => sum + share, 0);
  const balance = balanceOf(
    advance,
    weights,
    {
      entitiesMicrojoules: microjoules(BigInt(entities)),
      idleMicrojoules,
      irqMicrojoules: fixed(0),
    },
    [
      ['unslotted', fixed(1)],
      ['overflow', fixed(2)],
    ],
  );
  return { balance, granted: { claims, shares } };
};

const splitDomain = (
  advance: Advance,
  input: AttributionInput,
  weights: WindowWeights,
): DomainSplit => {
  const result = claimsOn(advance.domain, input.window, weights, input.topology);
  if (result._tag === 'Claims') return splitAmong(result.claims, advance, weights);
  const idleMicrojoules = floorEnergy(advance);
  const rest = microjoules(advance.deltaMicrojoules - idleMicrojoules);
  const reason = result._tag === 'UnknownPackage' ? 'unknown-package' : 'no-activity';
  const balance = balanceOf(advance, weights, { idleMicrojoules }, [[reason, rest]]);
  return { balance, granted: undefined };
};

const grant = (split: DomainSplit, kind: AttributedKind, shares: WindowShares): void => {
  if (split.granted === undefined) return;
  const { claims, shares: parts } = split.granted;
  const [tasks, overflow] = [shares.tasks[kind], shares.overflow[kind]];
  let at = 0;
  for (const row of claims.taskRows) tasks[row] = (tasks[row] ?? 0) + (parts[at++] ?? 0);
  for (const row of claims.overflowRows) overflow[row] = (overflow[row] ?? 0) + (parts[at++] ?? 0);
};

const emptyShares = (window: ActivityWindow): WindowShares => {
  const [tasks, overflow] = [window.tasks.length, window.overflow.length];
  return {
    tasks: { package: new Float64Array(tasks), dram: new Float64Array(tasks) },
    overflow: { package: new Float64Array(overflow), dram: new Float64Array(overflow) },
  };
};

const advancesOf = ({ readings, idleFloors }: AttributionInput): readonly Advance[] =>
  readings.flatMap(({ domain, step }) =>
    step._tag === 'Advanced' && domain.isAttributed
      ? [
          {
            domain,
            kind: attributedKind(domain),
            deltaMicrojoules: step.deltaMicrojoules,
            spanNanos: step.spanNanos,
            floorWatts: idleFloors.get(domain.id),
          },
        ]
      : [],
  );

type CheckedSplit =
  | { readonly _tag: 'Closed'; readonly split: DomainSplit }
  | { readonly _tag: 'Defect'; readonly detail: string };

const splitChecked = (
  advance: Advance,
  input: AttributionInput,
  weights: WindowWeights,
): CheckedSplit => {
  const unusable = deltaDefect(advance.deltaMicrojoules);
  if (unusable !== undefined) return { _tag: 'Defect', detail: unusable };
  const split = splitDomain(advance, input, weights);
  const detail = balanceDefect(split.balance);
  return detail === undefined ? { _tag: 'Closed', split } : { _tag: 'Defect', detail };
};

/** Splits every advanced, attributed domain of the window. Pure; cost O(tasks) per domain. */
export const attribute = (
  input: AttributionInput,
  model: WeightModel = timeModel,
): WindowAttribution => {
  const weights = new Map<AttributedKind, WindowWeights>();
  const shares = emptyShares(input.window);
  const balances: DomainBalance[] = [];
  const inconsistencies: Inconsistency[] = [];
  for (const advance of advancesOf(input)) {
    const weighed = weights.get(advance.kind) ?? model(input.window, advance.kind);
    weights.set(advance.kind, weighed);
    const result = splitChecked(advance, input, weighed);
    if (result._tag === 'Closed') {
      balances.push(result.split.balance);
      grant(result.split, advance.kind, shares);
      continue;
    }
    const { domain, deltaMicrojoules } = advance;
    const windowIndex = input.window.index;
    inconsistencies.push({ domainId: domain.id, windowIndex, detail: result.detail });
    // Nobody is charged by a split that does not close; the energy itself was measured and stays.
    if (deltaMicrojoules > 0n) {
      balances.push(balanceOf(advance, weighed, {}, [['inconsistent', deltaMicrojoules]]));
    }
  }
  return { balances, shares, inconsistencies };
};

/** One row of the columns as an object, for those who look at single entities. */
export const taskShareAt = (shares: WindowShares, row: number): TaskShare => ({
  energy: {
    package: microjoules(BigInt(shares.tasks.package[row] ?? 0)),
    dram: microjoules(BigInt(shares.tasks.dram[row] ?? 0)),
  },
});
