// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';

/** The Right, or a failed test that shows the Left. */
export const rightOf = <A>(either: E.Either<unknown, A>): A => {
  if (E.isLeft(either)) throw new Error(`unexpected left: ${JSON.stringify(either.left)}`);
  return either.right;
};
