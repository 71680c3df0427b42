// SPDX-License-Identifier: Apache-2.0
/** What an agent has learnt of this machine so far, from its state file. Pure. */
import * as E from 'fp-ts/lib/Either.js';
import type { LearntState } from '../agent/learnt-state.js';
import type { Finding } from './result.js';

/** `state`: undefined where there is no file; a Left: it is broken, and why. */
export const learntFindings = (
  state: E.Either<string, LearntState> | undefined,
): readonly Finding[] => {
  if (state === undefined) return [];
  if (E.isLeft(state))
    return [
      {
        id: 'coefficients-broken',
        level: 'note',
        what: `learnt coefficients cannot be read: ${state.left}`,
        meaning: 'the agent will set the file aside and begin anew with the defaults',
        remedy: '',
      },
    ];
  if (state.right._tag === 'Foreign')
    return [
      {
        id: 'coefficients-foreign',
        level: 'note',
        what: `learnt coefficients are not of this machine: ${state.right.why}`,
        meaning: 'they are not used; the agent begins with the defaults',
        remedy: '',
      },
    ];
  return state.right.fits.map(({ packageId, isCalibrated, windows }) => ({
    id: 'coefficients-learnt',
    level: 'note',
    what:
      `package ${String(packageId)}: coefficients ` +
      `${isCalibrated ? 'calibrated' : 'still the defaults'} after ${String(windows)} windows`,
    meaning: isCalibrated
      ? 'they predict this package better than the defaults do'
      : 'nothing better was found yet: it takes loads of several kinds',
    remedy: '',
  }));
};
