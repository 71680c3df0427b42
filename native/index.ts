// SPDX-License-Identifier: Apache-2.0
/**
 * The only file that loads the addon. Everything it offers goes through `ActivityPort`: results are
 * Either, and what the addon throws (wrong arguments) becomes a Left as well.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type {
  ActivityPort,
  ActivitySession,
  CounterFault,
  EnergySourceSpec,
  KernelFeature,
  NativeError,
  ProgramStats,
  SessionOptions,
  WindowOptions,
} from '../receiver/activity/port.js';
import type { Coefficients } from '../receiver/model/coefficients.js';
import type { FeedLook, FeedPort, FeedTask } from '../policy/port.js';
import type { PeerCredentials } from '../receiver/socket/port.js';
import type { OpenSpinSampler, SpinSampler } from '../receiver/spin/port.js';
import { layoutDifference } from './layout-sizes.js';

type Outcome<A> =
  | { readonly ok: true; readonly value: A }
  | {
      readonly ok: false;
      readonly operation: string;
      readonly errno: number;
      readonly detail: string;
    };

/** What native/src/session_wrap.cc defines. */
interface NativeSession {
  start(options: WindowOptions, onBatch: (batch: Uint8Array) => void): Outcome<void>;
  setWakeEvery(windows: number): Outcome<void>;
  setWindowMillis(windowMillis: number): Outcome<void>;
  closeWindow(): Promise<Outcome<void>>;
  setTag(tgid: number, tag: number): Outcome<number>;
  setCoefficients(byCpuDomain: readonly Coefficients[]): Outcome<void>;
  setCoreScales(byCpu: readonly number[]): Outcome<void>;
  counterFaults(): Outcome<readonly (Omit<CounterFault, 'code'> & { readonly errno: number })[]>;
  programStats(): Outcome<readonly ProgramStats[]>;
  close(): Promise<Outcome<void>>;
}

/** What native/src/feed_wrap.cc defines. */
interface NativeFeedPublisher {
  publish(
    state: Uint8Array,
    packages: Uint8Array,
    cpus: Uint8Array,
    cgroups: Uint8Array,
  ): Outcome<bigint>;
  withdraw(): Outcome<void>;
  setTask(tid: number, tgid: number, entry: Uint8Array): Outcome<number>;
  close(): Outcome<void>;
}

interface NativeFeedReader {
  read(): Outcome<FeedLook>;
  tasks(): Outcome<readonly FeedTask[]>;
  close(): Outcome<void>;
}

interface NativeHintMap {
  set(tids: readonly number[], hint: number): Outcome<number>;
  clear(tids: readonly number[]): Outcome<number>;
  close(): Outcome<void>;
}

/** What native/src/addon.cc exports. */
interface Addon {
  readonly layoutSizesBytes?: Readonly<Record<string, number>>;
  openSession(options: SessionOptions): Promise<Outcome<NativeSession>>;
  probeFeatures(): readonly (Omit<KernelFeature, 'code'> & { readonly errno: number })[];
  probePerf(
    spec: EnergySourceSpec & { kind: 'perf' },
    millis: number,
  ): Outcome<{ readonly first: bigint; readonly last: bigint }>;
  lockDirectory(path: string): Outcome<void>;
  peerCredentials(fd: number): Outcome<PeerCredentials>;
  openFeedPublisher(
    directory: string,
    simulates: boolean,
  ): Outcome<{
    readonly publisher: NativeFeedPublisher;
    readonly adopted: readonly string[];
    readonly replaced: readonly string[];
  }>;
  openFeedReader(directory: string): Outcome<NativeFeedReader>;
  openHintMap(path: string): Outcome<NativeHintMap>;
  openSpinSampler(timespecArguments: Uint8Array, recordCount: number): Outcome<NativeSpinSampler>;
}

/** What native/src/spin_wrap.cc defines. */
interface NativeSpinSampler {
  begin(number: number, tid: number, hertz: number): Outcome<void>;
  sampleCount(number: number): Outcome<number>;
  end(number: number): Outcome<Uint8Array>;
  close(): Outcome<void>;
}

const EINVAL = 22;
const ENOENT = 2;
const ENOEXEC = 8;

const codeOf = (errno: number): string => (errno > 0 ? getSystemErrorName(-errno) : '');

const nativeError = (operation: string, errno: number, detail: string): NativeError => ({
  _tag: 'NativeError',
  operation,
  errno,
  code: codeOf(errno) || 'EUNKNOWN',
  detail,
});

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const fromOutcome = <A>(outcome: Outcome<A>): E.Either<NativeError, A> =>
  outcome.ok
    ? E.right(outcome.value)
    : E.left(nativeError(outcome.operation, outcome.errno, outcome.detail));

/** The addon throws only TypeError and RangeError, for arguments it cannot take. */
const badArgument =
  (operation: string) =>
  (error: unknown): NativeError =>
    nativeError(operation, EINVAL, messageOf(error));

const call = <A>(operation: string, run: () => Outcome<A>): E.Either<NativeError, A> => {
  try {
    return fromOutcome(run());
  } catch (error) {
    return E.left(badArgument(operation)(error));
  }
};

const callAsync =
  <A>(operation: string, run: () => Promise<Outcome<A>>): TE.TaskEither<NativeError, A> =>
  async () => {
    try {
      return fromOutcome(await run());
    } catch (error) {
      return E.left(badArgument(operation)(error));
    }
  };

const wrapSession = (session: NativeSession): ActivitySession => ({
  start: (options, onBatch) => call('start windows', () => session.start(options, onBatch)),
  // A port without a result: a wrong number changes nothing, and the type rules out the rest.
  setWakeEvery: (windows) => void call('set wake every', () => session.setWakeEvery(windows)),
  setWindowMillis: (windowMillis) =>
    call('set window', () => session.setWindowMillis(windowMillis)),
  closeWindow: () => callAsync('close window', () => session.closeWindow()),
  setTag: (tgid, tag) => call('set tag', () => session.setTag(tgid, tag)),
  setCoefficients: (byCpuDomain) =>
    call('set coefficients', () => session.setCoefficients(byCpuDomain)),
  setCoreScales: (byCpu) => call('set core scales', () => session.setCoreScales(byCpu)),
  counterFaults: () =>
    E.map((faults: readonly { cpu: number; kind: CounterFault['kind']; errno: number }[]) =>
      faults.map(({ cpu, kind, errno }) => ({ cpu, kind, code: codeOf(errno) })),
    )(call('read counter faults', () => session.counterFaults())),
  programStats: () => call('read program statistics', () => session.programStats()),
  close: () => callAsync('close session', () => session.close()),
});

const wrapAddon = (addon: Addon): ActivityPort => ({
  open: (options) => async () => {
    const opened = await callAsync('open session', () => addon.openSession(options))();
    return E.isLeft(opened) ? opened : E.right(wrapSession(opened.right));
  },
  probeFeatures: () =>
    addon.probeFeatures().map(({ errno, ...feature }) => ({ ...feature, code: codeOf(errno) })),
  probePerf: (spec, millis) => call('probe perf event', () => addon.probePerf(spec, millis)),
  lockDirectory: (path) => call(`lock ${path}`, () => addon.lockDirectory(path)),
});

const ADDON_PLACES = ['native/build/Release/wattfeed.node', 'prebuilt/wattfeed.node'];

/** This file is native/index.ts in a checkout and dist/native/index.js in a package. */
const packageRoots = (): readonly string[] => {
  const here = dirname(fileURLToPath(import.meta.url));
  return [join(here, '..'), join(here, '..', '..')];
};

/** WATTFEED_ADDON names another build of the addon: the sanitizers' runs need one. */
const addonPath = (): string | undefined => {
  const chosen = process.env['WATTFEED_ADDON'];
  const places = packageRoots().flatMap((root) => ADDON_PLACES.map((place) => join(root, place)));
  return (chosen === undefined ? places : [chosen]).find((place) => existsSync(place));
};

const loadAddon = (): E.Either<NativeError, Addon> => {
  const path = addonPath();
  if (path === undefined) {
    return E.left(nativeError('load addon', ENOENT, 'not built; run npm run build'));
  }
  try {
    const addon = createRequire(import.meta.url)(path) as Addon;
    const difference = layoutDifference(addon.layoutSizesBytes);
    if (difference === undefined) return E.right(addon);
    const detail = `${path} was built from other sources: ${difference}; run npm run build`;
    return E.left(nativeError('load addon', ENOEXEC, detail));
  } catch (error) {
    const cause = messageOf(error);
    // The dynamic linker's words. A built package brings the addon, the distribution libbpf.
    const remedy = /lib(bpf|elf|z)\.so/.test(cause)
      ? 'install libbpf (Debian, Ubuntu: apt-get install libbpf1)'
      : 'run npm run build';
    return E.left(nativeError('load addon', ENOEXEC, `${path}: ${cause}; ${remedy}`));
  }
};

let loaded: E.Either<NativeError, Addon> | undefined;

const addon = (): E.Either<NativeError, Addon> => (loaded ??= loadAddon());

/** The kernel side of this machine. Loads the addon at the first call. */
export const activityPort = (): E.Either<NativeError, ActivityPort> => E.map(wrapAddon)(addon());

/** Who connected to a unix socket, as the kernel noted it at connect(2). `fd`: the accepted one. */
export const readPeerCredentials = (fd: number): E.Either<NativeError, PeerCredentials> =>
  E.chain((native: Addon) => call('read SO_PEERCRED', () => native.peerCredentials(fd)))(addon());

const wrapFeed = (addon: Addon): FeedPort => ({
  openHintMap: (path) => {
    const opened = call('open hint map', () => addon.openHintMap(path));
    if (E.isLeft(opened)) return opened;
    const map = opened.right;
    return E.right({
      set: (tids, hint) => call('write hints', () => map.set(tids, hint)),
      clear: (tids) => call('clear hints', () => map.clear(tids)),
      close: () => void map.close(),
    });
  },
  openPublisher: (directory, simulates) => {
    const opened = call('open power feed', () => addon.openFeedPublisher(directory, simulates));
    if (E.isLeft(opened)) return opened;
    const { publisher, adopted, replaced } = opened.right;
    return E.right({
      adopted,
      replaced,
      publisher: {
        publish: ({ state, packages, cpus, cgroups }) =>
          call('publish power feed', () => publisher.publish(state, packages, cpus, cgroups)),
        withdraw: () => call('withdraw power feed', () => publisher.withdraw()),
        setTask: (tid, tgid, entry) => call('set task', () => publisher.setTask(tid, tgid, entry)),
        close: () => void publisher.close(),
      },
    });
  },
  openReader: (directory) => {
    const opened = call('open power feed', () => addon.openFeedReader(directory));
    if (E.isLeft(opened)) return opened;
    const reader = opened.right;
    return E.right({
      read: () => call('read power feed', () => reader.read()),
      tasks: () => call('read tasks of the feed', () => reader.tasks()),
      close: () => void reader.close(),
    });
  },
});

/** The power feed's pinned maps. Loads the addon at the first call. */
export const feedPort = (): E.Either<NativeError, FeedPort> => E.map(wrapFeed)(addon());

const wrapSampler = (sampler: NativeSpinSampler): SpinSampler => ({
  begin: (number, tid, hertz) =>
    call(`sample thread ${String(tid)}`, () => sampler.begin(number, tid, hertz)),
  sampleCount: (number) => call('count samples', () => sampler.sampleCount(number)),
  end: (number) => call('end sampling', () => sampler.end(number)),
  close: () => void call('close spin sampler', () => sampler.close()),
});

/** Loads the sampler of single threads; beside or without a session. */
export const openSpinSampler: OpenSpinSampler = (timespecArguments, recordCount) =>
  E.chain((native: Addon) =>
    E.map(wrapSampler)(
      call('open spin sampler', () => native.openSpinSampler(timespecArguments, recordCount)),
    ),
  )(addon());
