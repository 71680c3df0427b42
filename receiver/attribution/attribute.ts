// SPDX-License-Identifier: Apache-2.0
/**
 * One window's joules to whoever caused them. Per attributed domain, see split-domain.ts:
 *
 *   entities + idle + irq + igpu + unattributed = delta, exactly, in integer microjoules
 *
 * No activity at all: everything is idle. No floor known yet and something ran: everything is active.
 * The agent, a replay and the simulator run this same code.
 */
import type { ActivityWindow } from '../model/activity.js';
import { defaultCoefficients, type Coefficients } from '../model/coefficients.js';
import type { AttributedKind } from '../model/energy-domain.js';
import type { HostTopology } from '../model/host-topology.js';
import { microjoules } from '../model/units.js';
import type { Microjoules, Watts } from '../model/units.js';
import type { DomainBalance, DomainReading, TaskShare, WindowShares } from '../model/window.js';
import { advancesOf, attributedKind, type Advance } from './advances.js';
import { cutMissed, withMissed } from './missed.js';
import { balanceDefect, deltaDefect } from './conservation.js';
import type { DramSplit, MemoryUse } from './dram-weights.js';
import type { IdlePolicy, Reservations } from './idle-policy.js';
import type { WindowFeatures } from './row-terms.js';
import { DEFAULT_SEED, type SeedParameters } from './seed-model.js';
import { balanceOf, splitDomain, type DomainSplit, type SplitContext } from './split-domain.js';
import { weigh, type AttributionModel } from './weigh.js';

export { attributedKind };

/** What was chosen once, in the configuration. */
export interface AttributionSettings {
  readonly model: AttributionModel;
  readonly seed: SeedParameters;
  readonly dramSplit: DramSplit;
  readonly idlePolicy: IdlePolicy;
}

export const DEFAULT_SETTINGS: AttributionSettings = {
  model: 'counters',
  seed: DEFAULT_SEED,
  dramSplit: 'misses',
  idlePolicy: 'none',
};

export interface AttributionInput {
  readonly window: ActivityWindow;
  readonly readings: readonly DomainReading[];
  readonly topology: HostTopology;
  /** By domain id; undefined or missing while no floor is known. A model's idle power is one too. */
  readonly idleFloors: ReadonlyMap<string, Watts | undefined>;
  /** By domain id: idle energy that earlier windows lacked; default: none. */
  readonly idleOwed?: ReadonlyMap<string, Microjoules> | undefined;
  /** Default: DEFAULT_SETTINGS. */
  readonly settings?: AttributionSettings | undefined;
  /** By CPU domain; default: those of the core type. */
  readonly coefficients?: readonly Coefficients[] | undefined;
  /** Where memory lies and whose it is, as far as it was read. */
  readonly memory?: MemoryUse | undefined;
  /** For the idle policy `request`. */
  readonly reservations?: Reservations | undefined;
  /** The kernel's core predictions are scaled by each core's own energy counter. */
  readonly hasCoreScales?: boolean | undefined;
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
  /** For calibration; undefined where nothing was split. */
  readonly features?: WindowFeatures | undefined;
}

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

type CheckedSplit =
  | { readonly _tag: 'Closed'; readonly split: DomainSplit }
  | { readonly _tag: 'Defect'; readonly detail: string };

const splitChecked = (advance: Advance, context: SplitContext): CheckedSplit => {
  const unusable = deltaDefect(advance.deltaMicrojoules);
  if (unusable !== undefined) return { _tag: 'Defect', detail: unusable };
  const { own, missed } = cutMissed(advance);
  const split = withMissed(splitDomain(own, context), missed);
  const detail = balanceDefect(split.balance);
  return detail === undefined ? { _tag: 'Closed', split } : { _tag: 'Defect', detail };
};

const defaultsOf = ({ cpuDomains }: HostTopology): readonly Coefficients[] =>
  cpuDomains.map(({ coreType }) => defaultCoefficients(coreType));

/** The weights that `attribute` splits by, and what else a split needs. */
export const splitContext = (input: AttributionInput): SplitContext => {
  const { window, topology, memory } = input;
  const { model, seed, dramSplit, idlePolicy } = input.settings ?? DEFAULT_SETTINGS;
  const coefficients = input.coefficients ?? defaultsOf(topology);
  const hasCoreScales = input.hasCoreScales ?? false;
  return {
    window,
    topology,
    coefficients,
    weights: weigh(window, { model, coefficients, seed, dramSplit, memory, hasCoreScales }),
    memory,
    idlePolicy,
    reservations: input.reservations ?? new Map(),
  };
};

/** Splits every advanced, attributed domain of the window. Pure; cost O(tasks) per domain. */
export const attribute = (input: AttributionInput): WindowAttribution => {
  const advances = advancesOf(input.readings, input.idleFloors, input.idleOwed);
  const shares = emptyShares(input.window);
  const balances: DomainBalance[] = [];
  const inconsistencies: Inconsistency[] = [];
  if (advances.length === 0) return { balances, shares, inconsistencies };
  const context = splitContext(input);
  for (const advance of advances) {
    const result = splitChecked(advance, context);
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
      balances.push(balanceOf(advance, context.weights, {}, [['inconsistent', deltaMicrojoules]]));
    }
  }
  return { balances, shares, inconsistencies, features: context.weights.features };
};

/** One row of the columns as an object, for those who look at single entities. */
export const taskShareAt = (shares: WindowShares, row: number): TaskShare => ({
  energy: {
    package: microjoules(BigInt(shares.tasks.package[row] ?? 0)),
    dram: microjoules(BigInt(shares.tasks.dram[row] ?? 0)),
  },
});
