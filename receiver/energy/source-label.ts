// SPDX-License-Identifier: Apache-2.0
/** How the plan's joules come about, in the words that `top`, `check` and the exporter share. Pure. */
import type { EnergyOrigin, EnergySourceKind } from '../model/energy-domain.js';
import type { EnergyPlan } from './plan-types.js';

export interface SourceLabel {
  /** `modelled` as soon as one attributed domain is. */
  readonly origin: EnergyOrigin;
  readonly kinds: readonly EnergySourceKind[];
  readonly isGuess: boolean;
  /** e.g. `measured (perf, powercap)`, `modelled (guess: set energy.model, see wattfeed check)`. */
  readonly text: string;
}

const modelText = (plan: EnergyPlan): string =>
  plan.model?.isGuess === true
    ? 'modelled (guess: set energy.model, see wattfeed check)'
    : `modelled (${plan.model?.basis ?? 'no source'})`;

export const sourceLabel = (plan: EnergyPlan): SourceLabel => {
  const all = plan.domains.filter(({ domain, isFailing }) => domain.isAttributed && !isFailing);
  // Predicted memory stands beside measured packages and in no total: it does not make these a guess.
  const attributed = all.filter(({ measure }) => measure._tag !== 'DramModel');
  const memory = attributed.length < all.length ? ', memory modelled' : '';
  const kinds = [...new Set(attributed.map(({ domain }) => domain.source))];
  const measured = kinds.filter((kind) => kind !== 'model');
  const isModelled = kinds.includes('model');
  const isGuess = isModelled && plan.model?.isGuess === true;
  const origin = isModelled ? 'modelled' : 'measured';
  if (kinds.length === 0) return { origin: 'modelled', kinds, isGuess, text: 'no energy source' };
  if (measured.length === 0) return { origin, kinds, isGuess, text: modelText(plan) + memory };
  const measuredText = `measured (${measured.join(', ')})`;
  return {
    origin,
    kinds,
    isGuess,
    text: (isModelled ? `${measuredText}, in part ${modelText(plan)}` : measuredText) + memory,
  };
};
