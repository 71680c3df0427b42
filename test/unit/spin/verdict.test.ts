// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { SpinVerdict } from '../../../receiver/model/spin.js';
import { INITIAL_SPIN_STATE, nextSpinState } from '../../../receiver/spin/hysteresis.js';
import type { CodeAt } from '../../../receiver/spin/judge-program.js';
import type { LoopFeatures } from '../../../receiver/spin/loop-features.js';
import type { CallSample, ProgramSample } from '../../../receiver/spin/samples.js';
import { judgeSpin, type SpinInput } from '../../../receiver/spin/verdict.js';

const LOOP: LoopFeatures = {
  instructionCount: 4,
  hasPause: false,
  readsClock: false,
  hasSystemCall: false,
  isPlain: true,
  carried: [],
  counters: [],
  selfMade: [],
  hasVectors: false,
  hasStringStore: false,
  moves: false,
  flagTests: 0,
  exchanges: false,
  onlyCounts: false,
  offered: [],
  computes: false,
  yields: false,
};
const loop = (over: Partial<LoopFeatures> = {}): CodeAt => ({
  _tag: 'Loop',
  features: { ...LOOP, ...over },
  isPart: false,
});
const OPEN: CodeAt = { _tag: 'Open', isBehindPause: false };

/** `count` samples at an address, in so many states of the registers and of the memory behind them. */
const at = (
  count: number,
  { states = 1, memory = 1, address = 0x1000n, result = 0n } = {},
): readonly ProgramSample[] =>
  Array.from({ length: count }, (_, index) => ({
    address,
    registers: BigInt(index % states),
    memory: BigInt(index % memory) << 32n,
    behindCall: address,
    callResult: result,
  }));

const call = (
  number: number,
  count: number,
  over: Partial<CallSample> = {},
): readonly CallSample[] =>
  Array.from({ length: count }, () => ({
    number,
    returnAddress: 0x2000n,
    callArguments: [3n, 0n, 0n, 0n, 0n, 0n],
    result: undefined,
    timeoutNanos: undefined,
    content: 1n,
    ...over,
  }));

const glue = at(40, { address: 0x2000n });

const verdictOf = (
  program: readonly ProgramSample[],
  calls: readonly CallSample[] = [],
  codeAt: SpinInput['codeAt'] = () => loop(),
): SpinVerdict =>
  judgeSpin({ samples: { tid: 7, is32Bit: false, program, calls, otherCount: 0 }, codeAt });

const judge = (...input: Parameters<typeof verdictOf>): string => {
  const verdict = verdictOf(...input);
  return verdict._tag === 'Spinning' ? verdict.kind : verdict._tag;
};

describe('judgeSpin', () => {
  it.each([
    ['a loop that pauses', { states: 200 }, loop({ hasPause: true }), 'pause'],
    ['a loop that looks again', {}, loop(), 'flag'],
    ['a loop over eight flags', { states: 8 }, loop({ moves: true, carried: ['RAX'] }), 'flag'],
    ['a scan', { states: 150 }, loop({ moves: true, carried: ['RAX'] }), 'Working'],
    ['the clock page', { states: 400 }, { _tag: 'ClockPage' }, 'clock'],
    ['a loop on the time stamp counter', { states: 400 }, loop({ readsClock: true }), 'clock'],
    ['a loop whose registers differ', { states: 390 }, loop(), 'Working'],
    ['a sum in a vector', {}, loop({ carried: ['ZMM0'] }), 'Working'],
    ['a counter in memory', {}, loop({ carried: ['[+4096]'] }), 'Working'],
    ['a local that comes back', {}, loop({ carried: ['[RBP+-4]'] }), 'flag'],
    ['a local that does not', { memory: 400 }, loop({ carried: ['[RBP+-4]'] }), 'Working'],
    ['code that cannot be read', {}, { _tag: 'Unreadable' }, 'Unknown'],
    ['an interpreter at rest', {}, OPEN, 'flag'],
    ['code right behind a pause', {}, { _tag: 'Open', isBehindPause: true }, 'pause'],
    [
      'the search of a short text',
      { states: 4 },
      loop({ moves: true, hasVectors: true, carried: ['RAX'] }),
      'Working',
    ],
    ['a copy by one instruction', { states: 4 }, loop({ hasStringStore: true }), 'Working'],
    [
      'an emptied set between two calls',
      { states: 4 },
      loop({ hasStringStore: true, hasSystemCall: true }),
      'flag',
    ],
    ['a state that leaves results', {}, loop({ yields: true }), 'Working'],
    [
      'the same sum over and over',
      { states: 4 },
      loop({ carried: ['RAX'], computes: true, isPlain: false }),
      'Working',
    ],
    [
      'a loop that computes and is left at once, each time',
      {},
      loop({ carried: ['R12'], computes: true, isPlain: false }),
      'flag',
    ],
    [
      'a part of a loop that leaves results',
      { states: 4 },
      { _tag: 'Loop', features: { ...LOOP, moves: true, carried: ['RAX'] }, isPart: true },
      'Working',
    ],
    [
      'an exchange that never succeeds',
      {},
      loop({ exchanges: true, carried: ['[RDI+0]'], offered: ['[RDI+0]'] }),
      'flag',
    ],
    ['a local of a frame that was not followed', {}, loop({ carried: ['[RBP,RSP…]'] }), 'flag'],
    ['… whose memory changes', { memory: 400 }, loop({ carried: ['[RBP,RSP…]'] }), 'Working'],
    ['memory that a register leads to', {}, loop({ carried: ['[RAX,RSP…]'] }), 'Working'],
    ['arithmetic out of sight', { memory: 400 }, loop({ isPlain: false }), 'Working'],
    ['an interpreter whose memory changes', { memory: 400 }, OPEN, 'Working'],
    [
      'work that pauses now and then',
      { states: 390 },
      loop({ hasPause: true, carried: ['RAX'] }),
      'Working',
    ],
    [
      'a pause that counts its rounds',
      { states: 390 },
      loop({ hasPause: true, carried: ['RCX'], counters: ['RCX'], selfMade: ['RCX'] }),
      'pause',
    ],
    [
      'a flag whose rounds are counted',
      { states: 390 },
      loop({ flagTests: 1, carried: ['RCX'], counters: ['RCX'] }),
      'flag',
    ],
    [
      'a count without a flag',
      { states: 390 },
      loop({ carried: ['RCX'], counters: ['RCX'] }),
      'Working',
    ],
    [
      'an update without a lock',
      { states: 390 },
      loop({ flagTests: 1, exchanges: true }),
      'Working',
    ],
    ['a lock by compare and exchange', {}, loop({ flagTests: 1, exchanges: true }), 'flag'],
    [
      'a delay',
      { states: 390 },
      loop({ carried: ['RCX'], counters: ['RCX'], onlyCounts: true }),
      'flag',
    ],
    [
      'arithmetic until a flag says stop',
      { states: 390 },
      loop({ flagTests: 1, isPlain: false }),
      'Working',
    ],
  ] as const)('judges %s', (_what, samples, code, expected) => {
    expect(judge(at(400, samples), [], () => code)).toBe(expected);
  });

  it('says nothing of a few samples', () => {
    expect(judge(at(49))).toBe('Unknown');
    expect(judge(at(50))).toBe('flag');
  });

  it.each([
    ['sched_yield', call(24, 300), 'yield'],
    ['poll without a timeout', call(7, 300), 'poll'],
    ['poll that brings something', call(7, 300, { result: 1n }), 'Working'],
    ['poll with one', call(7, 300, { callArguments: [3n, 1n, 1000n] }), 'Working'],
    ['poll without end', call(7, 300, { callArguments: [3n, 1n, 0xffff_ffffn] }), 'Working'],
    ['epoll_wait without a timeout', call(232, 300), 'poll'],
    [
      'a futex wait that never waits',
      call(202, 300, { callArguments: [1n, 0x80n], result: -11n }),
      'syscall',
    ],
    ['a futex wait that may wait', call(202, 300, { callArguments: [1n, 0x80n] }), 'Working'],
    [
      'a futex wait of 1 us',
      call(202, 300, { callArguments: [1n, 0x80n], timeoutNanos: 1_000n }),
      'syscall',
    ],
    ['a futex wake', call(202, 300, { callArguments: [1n, 0x81n], result: 1n }), 'Working'],
    ['a read that brings nothing', call(0, 300, { result: -11n }), 'poll'],
    ['a read that brings something', call(0, 300, { result: 64n }), 'Working'],
    ['a call without a name that always fails', call(21, 300, { result: -2n }), 'poll'],
    ['a child that has not ended', call(61, 300, { callArguments: [9n, 0n, 1n] }), 'poll'],
    ['a sleep of 1 us', call(35, 300, { timeoutNanos: 1_000n }), 'syscall'],
    ['a sleep of 1 ms', call(35, 300, { timeoutNanos: 1_000_000n }), 'Working'],
    ['a sleep that cannot be read', call(35, 300), 'Working'],
    ['ppoll without a timeout', call(271, 300, { timeoutNanos: 0n }), 'poll'],
    ['clock_gettime as a call', call(228, 300), 'clock'],
    ['a write', call(1, 300), 'Working'],
    ['a read at the end of a file', call(0, 300, { result: 0n }), 'poll'],
    ['a file that stays as it is', call(262, 300, { result: 0n }), 'poll'],
    ['a parent that stays', call(110, 300, { result: 77n }), 'poll'],
    [
      'files that are looked at one after the other',
      call(262, 300, { result: 0n }).map((one, index) => ({ ...one, content: BigInt(index) })),
      'Working',
    ],
    ['half yield, half write', [...call(24, 150), ...call(1, 150)], 'Working'],
    [
      'yields with other arguments each',
      call(24, 300).map((one, index) => ({ ...one, callArguments: [BigInt(index)] })),
      'Working',
    ],
  ])('judges %s', (_what, calls, expected) => {
    expect(judge(glue, calls)).toBe(expected);
  });

  it('sees results right behind a call', () => {
    const failed = at(20, { address: 0x2000n, result: -11n });
    const brought = at(20, { address: 0x2000n, result: 12n });
    expect([judge(failed, call(0, 300)), judge(brought, call(0, 300))]).toEqual([
      'poll',
      'Working',
    ]);
  });

  it('knows an event loop that asks again and again, and one that works in between', () => {
    const wide = Array.from({ length: 190 }, (_, index) =>
      at(2, { states: 2, address: BigInt(0x5000 + index) }),
    ).flat();
    const narrow = at(380, { states: 380, address: 0x5000n });
    const open = (): CodeAt => OPEN;
    expect(judge(wide, call(232, 20), open)).toBe('poll');
    expect(judge(wide, [...call(232, 20), ...call(0, 20)], open)).toBe('Working');
    expect(judge(narrow, call(232, 20), open)).toBe('Working');
  });

  it('knows a long loop of an interpreter that comes back to where it was', () => {
    const places = (states: number): readonly ProgramSample[] =>
      Array.from({ length: 150 }, (_, index) =>
        at(index % 2 === 0 ? 1 : 3, { states, address: BigInt(0x5000 + index) }),
      ).flat();
    expect(judge(places(1), [], () => OPEN)).toBe('flag');
    expect(judge(places(3), [], () => OPEN)).toBe('Working');
  });

  it('knows an interpreter whose run-time counts a budget down in memory', () => {
    const budget = [0, 0, 0, 0, 0, 1, 2, 3, 4];
    const places = (states: number): readonly ProgramSample[] =>
      Array.from({ length: 16 }, (_, index) =>
        at(budget.length, { states, address: BigInt(0x5000 + index) }).map((sample, of) => ({
          ...sample,
          memory: BigInt(budget[of] ?? 0) << 32n,
        })),
      ).flat();
    const elsewhere = Array.from({ length: 80 }, (_, index) =>
      at(1, { address: BigInt(0x6000 + index) }),
    ).flat();
    const open = (): CodeAt => OPEN;
    expect(judge(places(1), [], open)).toBe('flag');
    expect(judge(places(2), [], open)).toBe('Working');
    expect(judge([...places(1), ...elsewhere], [], open)).toBe('Working');
  });

  it('is surer, and says why, where counters agree, and takes what waits for memory for work', () => {
    const places = Array.from({ length: 150 }, (_, index) =>
      at(index % 2 === 0 ? 1 : 3, { address: BigInt(0x5000 + index) }),
    ).flat();
    const judged = (program: readonly ProgramSample[], ipc: number, cacheMisses: number) =>
      judgeSpin({
        samples: {
          ...{ tid: 7, is32Bit: false, program, calls: [], otherCount: 0 },
          counters: { cycles: 1e9, instructions: ipc * 1e9, cacheMisses },
        },
        codeAt: () => OPEN,
      });
    const half = [...at(360), ...at(40, { states: 40, memory: 40, address: 0x7000n })];
    expect(judged(half, 0.06, 0)).toMatchObject({
      confidence: 0.95,
      evidence: expect.stringContaining('; IPC 0.06, 0.0 cache misses per 1000 instructions'),
    });
    expect(judged(half, 1, 0)).toMatchObject({ confidence: 0.9 });
    expect(judged(places, 1, 0)._tag).toBe('Spinning');
    expect(judged(places, 0.1, 1e7)._tag).toBe('Working');
  });

  it('leaves interrupts out, and takes more than half of them for work', () => {
    const withOther = (otherCount: number): SpinVerdict =>
      judgeSpin({
        samples: { tid: 7, is32Bit: false, program: at(100), calls: [], otherCount },
        codeAt: () => loop(),
      });
    expect(withOther(90)).toMatchObject({ _tag: 'Spinning', kind: 'flag', confidence: 1 });
    expect(withOther(110)._tag).toBe('Working');
  });

  it('says in one line what was seen', () => {
    expect(verdictOf(at(10, { address: 0x2000n }), call(24, 390))).toMatchObject({
      confidence: 1,
      evidence: '100 % of 400 samples in sched_yield, which returns at once, and around it',
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

  it('resets at five clear ones, and not by what is unknown', () => {
    const set = [spinning, spinning, spinning];
    expect(after(...set, working, working, working, working)).toBe(true);
    expect(after(...set, ...Array.from({ length: 9 }, () => unknown))).toBe(true);
    expect(after(...set, working, working, working, working, working)).toBe(false);
  });
});

describe('judgeSpin of calls that succeed', () => {
  const OPENAT = 257;
  const READ = 0;
  const CLOSE = 3;
  const reads = (result: bigint, content = 1n): readonly CallSample[] => [
    ...call(OPENAT, 40, { result: 3n }),
    ...call(READ, 40, { result, content }),
    ...call(CLOSE, 20, { result: 0n }),
  ];

  it('knows a small file that is read again and stays the same', () => {
    expect(judge([], reads(2n))).toBe('poll');
  });

  it('takes a large one for work, for all of it is not known', () => {
    expect(judge([], reads(4096n))).toBe('Working');
  });

  it('takes one that changes for work', () => {
    const [first, ...rest] = call(READ, 40, { result: 2n });
    const changing =
      first === undefined ? [] : [{ ...first, content: 2n }, { ...first, content: 2n }, ...rest];
    expect(judge([], [...call(OPENAT, 20, { result: 3n }), ...changing])).toBe('Working');
  });

  it('takes opening for writing for work', () => {
    const callArguments = [0n, 0n, 0o1101n, 0n, 0n, 0n];
    expect(judge([], call(OPENAT, 100, { result: 3n, callArguments }))).toBe('Working');
  });

  it('takes closing what was not opened in vain for work', () => {
    expect(judge([], call(CLOSE, 100, { result: 0n }))).toBe('Working');
  });
});
