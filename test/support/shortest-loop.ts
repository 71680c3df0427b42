// SPDX-License-Identifier: Apache-2.0
import { nextOf, type CodeMap } from '../../receiver/spin/code-map.js';
import { findLoop } from '../../receiver/spin/find-loop.js';
import type { Instruction } from '../../receiver/spin/instruction.js';

/** The innermost loop of the function at `start`: the shortest that one of its instructions lies on. */
export const shortestLoop = (start: bigint, map: CodeMap): readonly Instruction[] => {
  const loops: (readonly Instruction[])[] = [];
  for (let at = map.at(start); at !== undefined; at = map.at(nextOf(at))) {
    const loop = findLoop(map, at.address);
    if (loop._tag === 'Closed') loops.push(loop.path);
    if (at.flow._tag === 'Return') break;
  }
  return loops.toSorted((one, two) => one.length - two.length)[0] ?? [];
};
