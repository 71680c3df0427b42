// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { COUNTER_KINDS } from '../../receiver/model/counter-selection.js';
import { port, rawAddon, sessionOptions, type RawObject } from './support.js';

const cpuCount = sessionOptions().cpuDomains.length;
const PERF = { kind: 'perf', pmuType: 1, config: 0n, cpu: 0 };
const COUNTER = { kind: 'cycles', pmuType: 1, config: 0n };
const eachCpu = <Item>(item: Item): Item[] => new Array<Item>(cpuCount).fill(item);
const WINDOW = { windowMillis: 1000, wakeEvery: 1, sources: [] };

const throwing = {
  get maxTasks(): number {
    throw new RangeError('from the getter');
  },
};

/** [case, arguments, expected error] */
const BAD_OPEN: readonly (readonly [string, readonly unknown[], typeof Error])[] = [
  ['no options', [], TypeError],
  ['null', [null], TypeError],
  ['a string', ['options'], TypeError],
  ['a getter that throws', [throwing], RangeError],
  ['maxTasks as text', [{ ...sessionOptions(), maxTasks: '4096' }], TypeError],
  ['maxTasks not a power of two', [{ ...sessionOptions(), maxTasks: 5000 }], RangeError],
  ['maxTasks too small', [{ ...sessionOptions(), maxTasks: 128 }], RangeError],
  ['maxTasks too large', [{ ...sessionOptions(), maxTasks: 2 ** 23 }], RangeError],
  ['maxTasks a fraction', [{ ...sessionOptions(), maxTasks: 256.5 }], RangeError],
  ['maxTasks NaN', [{ ...sessionOptions(), maxTasks: Number.NaN }], RangeError],
  ['maxTasks infinite', [{ ...sessionOptions(), maxTasks: Infinity }], RangeError],
  ['cpuDomains missing', [{ ...sessionOptions(), cpuDomains: undefined }], TypeError],
  ['cpuDomains empty', [{ ...sessionOptions(), cpuDomains: [] }], RangeError],
  ['a CPU domain too high', [{ ...sessionOptions(), cpuDomains: [16] }], RangeError],
  ['a CPU domain below 0', [{ ...sessionOptions(), cpuDomains: [-1] }], RangeError],
  ['a CPU domain that is no number', [{ ...sessionOptions(), cpuDomains: [{}] }], TypeError],
  ['too many CPUs', [{ ...sessionOptions(), cpuDomains: new Array(1025).fill(0) }], RangeError],
  ['a sibling out of range', [{ ...sessionOptions(), smtSiblings: [cpuCount] }], RangeError],
  [
    'tables of two lengths',
    [{ ...sessionOptions(), smtSiblings: new Array(cpuCount + 1).fill(-1) }],
    RangeError,
  ],
  ['no cgroup hierarchy', [{ ...sessionOptions(), cgroupHierarchy: undefined }], TypeError],
  ['an empty cgroup hierarchy', [{ ...sessionOptions(), cgroupHierarchy: '' }], RangeError],
  ['bpfStats as a number', [{ ...sessionOptions(), bpfStats: 1 }], TypeError],
  ['a package too high', [{ ...sessionOptions(), cpuPackages: eachCpu(16) }], RangeError],
  [
    'packages of another length',
    [{ ...sessionOptions(), cpuPackages: [...eachCpu(0), 0] }],
    RangeError,
  ],
  ['counters that are no array', [{ ...sessionOptions(), counters: {} }], TypeError],
  [
    'counters of another length',
    [{ ...sessionOptions(), counters: [...eachCpu([]), []] }],
    RangeError,
  ],
  ['a counter of no kind', [{ ...sessionOptions(), counters: eachCpu([{}]) }], TypeError],
  [
    'a counter of another kind',
    [{ ...sessionOptions(), counters: eachCpu([{ ...COUNTER, kind: 'branches' }]) }],
    RangeError,
  ],
  [
    'a counter config as number',
    [{ ...sessionOptions(), counters: eachCpu([{ ...COUNTER, config: 0 }]) }],
    TypeError,
  ],
  [
    'more counters than kinds',
    [{ ...sessionOptions(), counters: eachCpu(new Array(COUNTER_KINDS.length + 1).fill(COUNTER)) }],
    RangeError,
  ],
  ['a factor below 0', [{ ...sessionOptions(), frequencyFactors: [[-1]] }], RangeError],
  ['a factor of NaN', [{ ...sessionOptions(), frequencyFactors: [[Number.NaN]] }], RangeError],
  [
    'too many factors',
    [{ ...sessionOptions(), frequencyFactors: [new Array(513).fill(1)] }],
    RangeError,
  ],
  ['a frequency file as number', [{ ...sessionOptions(), frequencyFiles: eachCpu(1) }], TypeError],
];

const BAD_START: readonly (readonly [string, readonly unknown[], typeof Error])[] = [
  ['no options', [], TypeError],
  ['no callback', [WINDOW], TypeError],
  ['a callback that is no function', [WINDOW, {}], TypeError],
  ['a window too short', [{ ...WINDOW, windowMillis: 19.9 }, () => 0], RangeError],
  ['a window too long', [{ ...WINDOW, windowMillis: 3_600_001 }, () => 0], RangeError],
  ['a window of NaN', [{ ...WINDOW, windowMillis: Number.NaN }, () => 0], RangeError],
  ['a window as bigint', [{ ...WINDOW, windowMillis: 1000n }, () => 0], TypeError],
  ['wakeEvery 0', [{ ...WINDOW, wakeEvery: 0 }, () => 0], RangeError],
  ['wakeBusyEvery 0', [{ ...WINDOW, wakeBusyEvery: 0 }, () => 0], RangeError],
  ['wakeEvery a fraction', [{ ...WINDOW, wakeEvery: 1.5 }, () => 0], RangeError],
  ['sources that are no array', [{ ...WINDOW, sources: {} }, () => 0], TypeError],
  ['a source that is no object', [{ ...WINDOW, sources: ['/path'] }, () => 0], TypeError],
  ['a source of no kind', [{ ...WINDOW, sources: [{}] }, () => 0], TypeError],
  ['a source of another kind', [{ ...WINDOW, sources: [{ kind: 'gpu' }] }, () => 0], RangeError],
  ['a file without path', [{ ...WINDOW, sources: [{ kind: 'file' }] }, () => 0], TypeError],
  [
    'a path with NUL',
    [{ ...WINDOW, sources: [{ kind: 'file', path: '/a\0b' }] }, () => 0],
    RangeError,
  ],
  ['a config as number', [{ ...WINDOW, sources: [{ ...PERF, config: 1 }] }, () => 0], TypeError],
  ['a config below 0', [{ ...WINDOW, sources: [{ ...PERF, config: -1n }] }, () => 0], RangeError],
  [
    'a config of 65 bits',
    [{ ...WINDOW, sources: [{ ...PERF, config: 2n ** 64n }] }, () => 0],
    RangeError,
  ],
  ['a CPU below 0', [{ ...WINDOW, sources: [{ ...PERF, cpu: -1 }] }, () => 0], RangeError],
  ['a PMU type below 0', [{ ...WINDOW, sources: [{ ...PERF, pmuType: -1 }] }, () => 0], RangeError],
];

const BAD_TAG: readonly (readonly [string, readonly unknown[], typeof Error])[] = [
  ['no arguments', [], TypeError],
  ['tgid 0', [0, 1], RangeError],
  ['a tgid below 0', [-1, 1], RangeError],
  ['a tag below 0', [1, -1], RangeError],
  ['a tag of 33 bits', [1, 2 ** 32], RangeError],
];

const memberOf: (target: unknown, name: string) => RawObject = (target, name) => {
  const read: (from: object, key: string) => RawObject = Reflect.get;
  return read(new Object(target), name);
};

const openRaw = async (): Promise<RawObject> =>
  memberOf(await rawAddon()['openSession']?.(sessionOptions()), 'value');

describe('openSession', () => {
  it.each(BAD_OPEN)('refuses %s', (_, values, expected) => {
    expect(() => rawAddon()['openSession']?.(...values)).toThrow(expected);
  });

  it('becomes a Left behind the port', async () => {
    const refused = await port().open(sessionOptions({ maxTasks: 5000 }))();
    expect(refused).toMatchObject({
      left: { _tag: 'NativeError', code: 'EINVAL', detail: 'maxTasks must be a power of two' },
    });
  });
});

describe('Session', () => {
  it('refuses bad arguments of each method and works on', async () => {
    const session = await openRaw();
    for (const [what, values, expected] of BAD_START) {
      expect(() => session['start']?.(...values), `start: ${what}`).toThrow(expected);
    }
    for (const [what, values, expected] of BAD_TAG) {
      expect(() => session['setTag']?.(...values), `setTag: ${what}`).toThrow(expected);
    }
    expect(() => session['setCoefficients']?.([{}])).toThrow(TypeError);
    expect(() => session['setCoreScales']?.([-1])).toThrow(RangeError);
    expect(() => session['setWakeEvery']?.('2')).toThrow(TypeError);
    expect(() => session['setWindowMillis']?.({})).toThrow(TypeError);
    expect(session['start']?.(WINDOW, () => 0)).toMatchObject({ ok: true });
    expect(await session['close']?.()).toMatchObject({ ok: true });
  });

  it('refuses another this', async () => {
    const session = await openRaw();
    for (const method of ['start', 'setTag', 'closeWindow', 'programStats', 'close']) {
      for (const receiver of [undefined, null, {}, new Map(), Object.create(session)]) {
        expect(() => session[method]?.call(receiver)).toThrow(TypeError);
      }
    }
    await session['close']?.();
  });

  it('cannot be made by hand', async () => {
    const session = await openRaw();
    const read: (from: object, key: string) => new (...values: unknown[]) => unknown = Reflect.get;
    const Session = read(session, 'constructor');
    for (const values of [[], [{}], [session]]) {
      expect(() => new Session(...values)).toThrow(TypeError);
    }
    await session['close']?.();
  });
});

describe('probePerf', () => {
  it.each([
    ['no arguments', [], TypeError],
    ['no time', [PERF], TypeError],
    ['a time too long', [PERF, 60_001], RangeError],
    ['a config as number', [{ ...PERF, config: 0 }, 1], TypeError],
  ])('refuses %s', (_, values, expected) => {
    expect(() => rawAddon()['probePerf']?.(...values)).toThrow(expected);
  });
});

describe('peerCredentials', () => {
  it.each([
    ['no descriptor', [], TypeError],
    ['a text', ['3'], TypeError],
    ['a descriptor below 0', [-1], RangeError],
    ['a fraction', [1.5], RangeError],
    ['a descriptor of 32 bits', [2 ** 31], RangeError],
  ])('refuses %s', (_, values, expected) => {
    expect(() => rawAddon()['peerCredentials']?.(...values)).toThrow(expected);
  });
});

describe('lockDirectory', () => {
  it.each([
    ['no path', [], TypeError],
    ['an empty path', [''], RangeError],
    ['a number', [1], TypeError],
  ])('refuses %s', (_, values, expected) => {
    expect(() => rawAddon()['lockDirectory']?.(...values)).toThrow(expected);
  });
});
