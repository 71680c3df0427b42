// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { SpinVerdict } from '../../../receiver/model/spin.js';
import { INITIAL_SPIN_STATE, nextSpinState } from '../../../receiver/spin/hysteresis.js';
import type { LoopFeatures } from '../../../receiver/spin/loop-features.js';
import type { CallSamples, ThreadSamples } from '../../../receiver/spin/samples.js';
import { judgeSpin, type SpinInput } from '../../../receiver/spin/verdict.js';

const LOOP: LoopFeatures = {
  instructionCount: 4,
  hasPause: false,
  hasLocked: false,
  hasSystemCall: false,
  hasCall: false,
  fixedLoads: 1,
  changesMemory: false,
  stores: 0,
  accumulatesVector: false,
  carriedRegisters: [],
  counterRegisters: [],
};

const samplesOf = (parts: Partial<ThreadSamples>): ThreadSamples => {
  const addresses = parts.addresses ?? [];
  const calls = parts.calls ?? [];
  const sum = (rows: readonly { readonly count: number }[]): number =>
    rows.reduce((all, { count }) => all + count, 0);
  return {
    tid: 7,
    is32Bit: false,
    userCount: sum(addresses),
    kernelCount: sum(calls),
    elsewhereCount: 0,
    addresses,
    calls,
    resultCount: 0,
    againCount: 0,
    ...parts,
  };
};

const call = (number: number, count: number, over: Partial<CallSamples> = {}): CallSamples => ({
  number,
  count,
  sameArguments: count,
  callArguments: [3n, 0n, 0n, 0n],
  timeoutNanos: undefined,
  ...over,
});

const judge = (
  parts: Partial<ThreadSamples>,
  codeAt: SpinInput['codeAt'] = () => LOOP,
  isNonBlocking: SpinInput['isNonBlocking'] = () => false,
): string => {
  const verdict = judgeSpin({ samples: samplesOf(parts), codeAt, isNonBlocking });
  return verdict._tag === 'Spinning' ? verdict.kind : verdict._tag;
};

const at = (count: number, sameState = count, address = 0x1000n) => ({ address, count, sameState });
const glue = at(40, 38, 0x2000n);

describe('judgeSpin', () => {
  it.each([
    ['a loop that pauses', { addresses: [at(400, 10)] }, { ...LOOP, hasPause: true }, 'pause'],
    ['a loop that looks again', { addresses: [at(400)] }, LOOP, 'flag'],
    ['code that cannot be read, in the same states', { addresses: [at(400)] }, undefined, 'flag'],
    ['a loop on the clock page', { addresses: [at(400, 3)] }, 'clock-page', 'clock'],
    ['a loop whose registers differ', { addresses: [at(400, 12)] }, LOOP, 'Working'],
    [
      'a sum in a vector',
      { addresses: [at(400)] },
      { ...LOOP, accumulatesVector: true },
      'Working',
    ],
    ['a counter in memory', { addresses: [at(400)] }, { ...LOOP, changesMemory: true }, 'Working'],
    ['a few samples', { addresses: [at(49)] }, LOOP, 'Unknown'],
    [
      'work that pauses now and then',
      { addresses: [at(300, 10)] },
      { ...LOOP, hasPause: true, carriedRegisters: ['RAX'] },
      'Working',
    ],
    [
      'a pause that counts its rounds',
      { addresses: [at(300, 10)] },
      { ...LOOP, hasPause: true, carriedRegisters: ['RCX'], counterRegisters: ['RCX'] },
      'pause',
    ],
  ] as const)('judges %s', (_what, parts, code, expected) => {
    expect(judge(parts, () => code)).toBe(expected);
  });

  it.each([
    ['sched_yield', [call(24, 300)], 'yield'],
    ['poll without a timeout', [call(7, 300)], 'poll'],
    ['poll with one', [call(7, 300, { callArguments: [3n, 1n, 1000n] })], 'Working'],
    ['poll without end', [call(7, 300, { callArguments: [3n, 1n, 0xffff_ffffn] })], 'Working'],
    ['epoll_wait without a timeout', [call(232, 300)], 'poll'],
    ['a futex wait that never waits', [call(202, 300, { callArguments: [1n, 0x80n] })], 'syscall'],
    ['a futex wake', [call(202, 300, { callArguments: [1n, 0x81n] })], 'Working'],
    ['a sleep of 1 us', [call(35, 300, { timeoutNanos: 1_000n })], 'syscall'],
    ['a sleep of 1 ms', [call(35, 300, { timeoutNanos: 1_000_000n })], 'Working'],
    ['a sleep that cannot be read', [call(35, 300)], 'Working'],
    ['ppoll without a timeout', [call(271, 300, { timeoutNanos: 0n })], 'poll'],
    ['clock_gettime as a call', [call(228, 300)], 'clock'],
    ['a write', [call(1, 300)], 'Working'],
    ['half yield, half write', [call(24, 150), call(1, 150)], 'Working'],
    ['yields with other arguments each', [call(24, 300, { sameArguments: 20 })], 'Working'],
  ])('judges %s', (_what, calls, expected) => {
    expect(judge({ calls, addresses: [glue] })).toBe(expected);
  });

  it('believes a receive that does not wait only if it brings nothing', () => {
    const calls = [call(45, 300, { callArguments: [3n, 0n, 64n, 0x40n] })];
    const results = (resultCount: number, againCount: number) =>
      judge({ calls, addresses: [glue], resultCount, againCount });
    expect([results(20, 20), results(20, 3), results(1, 1)]).toEqual([
      'poll',
      'Working',
      'Working',
    ]);
  });

  it('asks whether the descriptor waits where the call does not say it', () => {
    const calls = [call(0, 300)];
    const parts = { calls, addresses: [glue], resultCount: 9, againCount: 9 };
    expect(judge(parts, undefined, (fd) => fd === 3)).toBe('poll');
    expect(judge(parts, undefined, () => false)).toBe('Working');
  });

  it('says in one line what was seen', () => {
    const verdict = judgeSpin({
      samples: samplesOf({ calls: [call(24, 390)], addresses: [at(10, 10, 0x2000n)] }),
      codeAt: () => LOOP,
      isNonBlocking: () => false,
    });
    expect(verdict).toMatchObject({
      confidence: 1,
      evidence: '100 % of 400 samples wait in sched_yield that returns at once',
    });
  });
});

describe('nextSpinState', () => {
  const spinning: SpinVerdict = { _tag: 'Spinning', kind: 'flag', confidence: 0.9, evidence: 'e' };
  const working: SpinVerdict = { _tag: 'Working', evidence: 'w' };
  const unknown: SpinVerdict = { _tag: 'Unknown', evidence: 'u' };
  const after = (...verdicts: readonly SpinVerdict[]): boolean =>
    verdicts.reduce(nextSpinState, INITIAL_SPIN_STATE).active !== undefined;

  it('sets at three of five', () => {
    expect(after(spinning, spinning)).toBe(false);
    expect(after(spinning, working, spinning, working, spinning)).toBe(true);
  });

  it('sets at once where nothing is in doubt', () => {
    expect(after({ ...spinning, confidence: 0.99 })).toBe(true);
  });

  it('resets at five clear ones, and not by what is unknown', () => {
    const set = [spinning, spinning, spinning];
    expect(after(...set, working, working, working, working)).toBe(true);
    expect(after(...set, ...Array.from({ length: 9 }, () => unknown))).toBe(true);
    expect(after(...set, working, working, working, working, working)).toBe(false);
  });
});
