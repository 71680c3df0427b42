// SPDX-License-Identifier: Apache-2.0
/** What a command ended with; main.ts makes the exit code of it. */
import * as E from 'fp-ts/lib/Either.js';
import {
  EXIT_FAILED,
  EXIT_FINE,
  EXIT_USAGE,
  complaintText,
  type Complaint,
} from '../model/errors.js';
import { escapeText } from '../model/escape.js';

export type Outcome =
  | { readonly _tag: 'Fine' }
  | { readonly _tag: 'Failed'; readonly complaints: readonly Complaint[] }
  /** The user asked for something that does not exist: an unknown flag, a mistake in the file. */
  | { readonly _tag: 'Usage'; readonly complaints: readonly Complaint[] };

export const FINE: Outcome = { _tag: 'Fine' };
export const failed = (...complaints: readonly Complaint[]): Outcome => ({
  _tag: 'Failed',
  complaints,
});
export const usage = (...complaints: readonly Complaint[]): Outcome => ({
  _tag: 'Usage',
  complaints,
});

export const exitCodeOf = (outcome: Outcome): number => {
  switch (outcome._tag) {
    case 'Fine':
      return EXIT_FINE;
    case 'Failed':
      return EXIT_FAILED;
    case 'Usage':
      return EXIT_USAGE;
  }
};

/** Lines for standard error, one per complaint: a key or a path of the user's may hold anything. */
export const outcomeLines = (outcome: Outcome): readonly string[] =>
  outcome._tag === 'Fine'
    ? []
    : outcome.complaints.map((complaint) => `wattfeed: ${escapeText(complaintText(complaint))}`);

/** A command's result as an outcome: a Left is a failure, or wrong usage where it says so. */
export const outcomeOfResult = (result: E.Either<Complaint, unknown>): Outcome => {
  if (E.isRight(result)) return FINE;
  return result.left.isUsage === true ? usage(result.left) : failed(result.left);
};
