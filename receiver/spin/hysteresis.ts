// SPDX-License-Identifier: Apache-2.0
/** From single verdicts to a state that does not flicker: 3 of 5 set it, 5 clear ones reset it. Pure. */
import type { SpinKind, SpinVerdict } from '../model/spin.js';

const VERDICTS_KEPT = 5;
const VERDICTS_TO_SET = 3;
const CLEAR_TO_RESET = 5;

export interface SpinState {
  /** The newest last; unknown ones are not kept: they neither set nor reset. */
  readonly verdicts: readonly Exclude<SpinVerdict, { _tag: 'Unknown' }>[];
  readonly active:
    { readonly kind: SpinKind; readonly confidence: number; readonly evidence: string } | undefined;
}

export const INITIAL_SPIN_STATE: SpinState = { verdicts: [], active: undefined };

const isSpinning = (verdict: SpinVerdict): verdict is Extract<SpinVerdict, { _tag: 'Spinning' }> =>
  verdict._tag === 'Spinning';

export const nextSpinState = (state: SpinState, verdict: SpinVerdict): SpinState => {
  if (verdict._tag === 'Unknown') return state;
  const verdicts = [...state.verdicts, verdict].slice(-VERDICTS_KEPT);
  const spinning = verdicts.filter(isSpinning);
  const last = spinning.at(-1);
  const active = last && { kind: last.kind, confidence: last.confidence, evidence: last.evidence };
  const isSet = spinning.length >= VERDICTS_TO_SET;
  const isClear = verdicts.length >= CLEAR_TO_RESET && spinning.length === 0;
  if (isSet) return { verdicts, active };
  return { verdicts, active: isClear ? undefined : active && state.active ? active : state.active };
};
