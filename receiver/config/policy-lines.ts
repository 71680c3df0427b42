// SPDX-License-Identifier: Apache-2.0
/** Lines of policy.budgets and policy.batch, which the schema has checked already. Pure. */
import type { Budget, BudgetMatch } from '../../policy/policy.js';

const DEFAULT_BURST_MILLIS = 1000;

/** `unit:batch.service`. */
export const matchOf = (text: string): BudgetMatch => {
  const cut = text.indexOf(':');
  const value = text.slice(cut + 1);
  switch (text.slice(0, cut)) {
    case 'path':
      return { _tag: 'Path', path: value };
    case 'container':
      return { _tag: 'Container', id: value };
    case 'unit':
      return { _tag: 'Unit', unit: value };
    default:
      return { _tag: 'Name', name: value };
  }
};

/** `unit:batch.service 20W burst 2000ms soft`. */
export const budgetOf = (line: string): Budget => {
  const [match = '', ...rest] = line.split(' ');
  const terms = rest.join(' ');
  const burst = /burst (\d+)ms/.exec(terms)?.[1];
  return {
    match: matchOf(match),
    watts: Number.parseFloat(terms),
    burstMillis: burst === undefined ? DEFAULT_BURST_MILLIS : Number(burst),
    isWorkConserving: terms.endsWith('soft'),
  };
};
