// SPDX-License-Identifier: Apache-2.0
/**
 * The shortest way from an instruction back to it, calls included: the loop that a thread goes round in
 * when it is met there. A return leads to the call that came before it. Pure.
 */
import { nextOf, type CodeMap } from './code-map.js';
import { isStringStore, type Instruction } from './instruction.js';

export type FoundLoop =
  /** In the order in which they run, from the address on. */
  | { readonly _tag: 'Closed'; readonly path: readonly Instruction[] }
  /** No loop without a jump to where a register says, or none at all. */
  | { readonly _tag: 'Open' }
  | { readonly _tag: 'Unreadable' };

/** Ways that are looked at for one address: a loop that waits is short. */
const MAX_STEPS = 600;

interface Frame {
  readonly returnTo: bigint;
  readonly below: Frame | undefined;
}

interface Step {
  readonly instruction: Instruction;
  readonly before: Step | undefined;
  readonly frame: Frame | undefined;
  /** Calls less returns since the beginning. */
  readonly level: number;
}

interface Way {
  readonly to: bigint;
  readonly frame: Frame | undefined;
  readonly level: number;
}

const waysOn = ({ instruction, frame, level }: Step, code: CodeMap): readonly Way[] => {
  const { flow } = instruction;
  const next = { to: nextOf(instruction), frame, level };
  switch (flow._tag) {
    case 'Next':
    case 'SystemCall':
      return [next];
    case 'Branch': {
      const target = { to: flow.target, frame, level };
      return flow.isConditional ? [target, next] : [target];
    }
    case 'Call': {
      if (flow.target === undefined) return [next];
      const called = { returnTo: next.to, below: frame };
      return [{ to: flow.target, frame: called, level: level + 1 }];
    }
    case 'Return': {
      if (frame !== undefined)
        return [{ to: frame.returnTo, frame: frame.below, level: level - 1 }];
      return code
        .returnsFrom(instruction.address)
        .map((to) => ({ to, frame: undefined, level: level - 1 }));
    }
    case 'Jump':
    case 'Stop':
      return [];
  }
};

const pathTo = (last: Step): readonly Instruction[] => {
  const path: Instruction[] = [];
  for (let at: Step | undefined = last; at !== undefined; at = at.before) path.push(at.instruction);
  return path.reverse();
};

const keyOf = ({ to, frame, level }: Way): string =>
  `${to.toString(36)} ${String(level)} ${frame?.returnTo.toString(36) ?? ''}`;

export const findLoop = (code: CodeMap, address: bigint): FoundLoop => {
  const first = code.at(address);
  if (first === undefined) return { _tag: code.canRead(address) ? 'Open' : 'Unreadable' };
  if (isStringStore(first)) return { _tag: 'Closed', path: [first] };
  const steps: Step[] = [{ instruction: first, before: undefined, frame: undefined, level: 0 }];
  const seen = new Set<string>();
  for (let at = 0; at < steps.length && steps.length < MAX_STEPS; at += 1) {
    const step = steps[at];
    if (step === undefined) break;
    for (const way of waysOn(step, code)) {
      if (way.to === address && way.level === 0) return { _tag: 'Closed', path: pathTo(step) };
      const key = keyOf(way);
      const instruction = seen.has(key) ? undefined : code.at(way.to);
      seen.add(key);
      if (instruction !== undefined)
        steps.push({ instruction, before: step, frame: way.frame, level: way.level });
    }
  }
  return { _tag: 'Open' };
};
