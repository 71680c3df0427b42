// SPDX-License-Identifier: Apache-2.0
/** Builds the one measurer: lock, machine, kernel side, pipeline, ledger; and takes it apart on failure. */
import { defaultCoefficients } from '../model/coefficients.js';
import * as E from 'fp-ts/lib/Either.js';
import * as layout from '../../native/layout.generated.js';
import { activityPort, feedPort } from '../../native/index.js';
import { windowReader } from '../activity/decode.js';
import type {
  ActivityPort,
  ActivitySession,
  NativeError,
  SessionOptions,
} from '../activity/port.js';
import type { LedgerLimits } from '../attribution/ledger-limits.js';
import { Ledger } from '../attribution/ledger.js';
import type { Config } from '../config/config.js';
import { frequencyFactorsOf, frequencyFilesOf } from '../counters/frequency.js';
import { sourceSpecs } from '../energy/plan-types.js';
import { sourceLabel } from '../energy/source-label.js';
import { SelfTotals } from '../export/self-totals.js';
import { systemClock } from '../host/clock.js';
import { complaintText, type Complaint } from '../model/errors.js';
import { attributionSettings } from './attribution-settings.js';
import { CoefficientsKeeper } from './coefficients-keeper.js';
import { CoreScaling } from './core-scaling.js';
import { LivePredictions } from './live-predictions.js';
import { Explainer } from './explainer.js';
import { LearntStore } from './learnt-store.js';
import { surroundingsReader } from './surroundings.js';
import type { CriNames } from '../identity/cri-names.js';
import { Losses } from './losses.js';
import type { Logger } from './logger.js';
import { surveyMachine, type Machine } from './machine.js';
import { Measurement } from './measurement.js';
import { complaintOfLock, complaintOfNative } from './native-complaint.js';
import { makePinDirectory } from './pin-directory.js';
import { openPowerFeed, type PowerFeed } from './power-feed.js';
import { createPipeline, type Pipeline } from './pipeline.js';
import { ReadingsKeeper } from './readings-keeper.js';
import { sayStart } from './say-start.js';
import { traceHeader } from './trace-header.js';
import { createSlotWatch } from './slot-watch.js';
import { createSpinWatch } from './spin-watch.js';
import { createThreadWatch, type ThreadWatch } from './thread-watch.js';
import { createAgentIdentities, type AgentIdentities } from './agent-identities.js';
import { counterNotes } from './counter-notes.js';
import { reportBuilder } from './report-builder.js';

export interface StartOptions {
  readonly version: string;
  readonly logger: Logger;
  readonly windowMillis: number;
  /** Somebody exports: ended processes are kept until their final value is out. */
  readonly isExporting: boolean;
  /** What was learnt is kept: the agent does, a viewer that measures for a moment does not. */
  readonly isKeepingState?: boolean;
  /** Threads are exported: the ledger keeps them from the first window on, whoever watches. */
  readonly isExportingThreads: boolean;
  /** A collector says what has arrived: the counters' readings are kept by its word. */
  readonly isDelivering?: boolean;
  /** The agent itself: it publishes the power feed if the configuration asks for it. */
  readonly isAgent?: boolean;
}

export interface RunningMeasurement {
  readonly machine: Machine;
  readonly measurement: Measurement;
  readonly session: ActivitySession;
  readonly ledger: Ledger;
  readonly self: SelfTotals;
  readonly threads: ThreadWatch;
  readonly sourceText: string;
  readonly identities: AgentIdentities;
  /** Undefined: nothing is kept over restarts. */
  readonly readings: ReadingsKeeper | undefined;
  readonly close: () => Promise<void>;
}

/** Without an exporter nobody fetches final values: enough to show what ended in the last window. */
const MAX_EXITED_UNEXPORTED = 1_024;
/** Batches of ten windows cost a tenth of the wake-ups; a viewer gets each window at once. */
const BATCH_WINDOWS = 10;

/** While a thread may spin: three windows make a candidate, three looks a verdict, in 10 s together. */
const BUSY_BATCH_WINDOWS = 2;

/** The agent does; a viewer that measures for a moment has no place to tell it. */
const isWatchingSpin = (config: Config, { isKeepingState = false }: StartOptions): boolean =>
  config.spin.isEnabled && isKeepingState;

/** A scrape and a row carry no time of their own: what they say must be of now, not of up to ten windows ago. */
const isReadAtAnyTime = ({ export: { prometheusAddress, csv } }: Config): boolean =>
  prometheusAddress !== undefined || csv !== undefined;

const batchWindows = (config: Config): number => (isReadAtAnyTime(config) ? 1 : BATCH_WINDOWS);

/** RECORDS_PACKAGES_MAX of bpf/include/records.h; those beyond share the last number. */
const PACKAGES_MAX = 16;

const sessionOptions = (
  config: Config,
  { facts, cgroups, counters }: Machine,
  powerFeed: PowerFeed | undefined,
): SessionOptions => {
  const { topology } = facts.host;
  const count = Math.max(...topology.cpus.map(({ cpu }) => cpu)) + 1;
  const cpuDomains = new Array<number>(count).fill(0);
  const smtSiblings = new Array<number>(count).fill(-1);
  const cpuPackages = new Array<number>(count).fill(0);
  for (const { cpu, cpuDomain, packageId, smtSibling } of topology.cpus) {
    cpuDomains[cpu] = cpuDomain;
    smtSiblings[cpu] = smtSibling ?? -1;
    const place = Math.max(0, topology.packageIds.indexOf(packageId));
    cpuPackages[cpu] = Math.min(place, PACKAGES_MAX - 1);
  }
  return {
    maxTasks: config.accounting.maxTasks,
    cpuDomains,
    smtSiblings,
    cgroupHierarchy: cgroups.hierarchy,
    bpfStats: config.accounting.bpfStats,
    cpuPackages,
    counters: counters.byCpu,
    frequencyFactors: frequencyFactorsOf(config.roots.sysfs, topology, facts.cpuModel),
    frequencyFiles: frequencyFilesOf(config.roots.sysfs, count),
    powerFeed: powerFeed && {
      directory: powerFeed.directory,
      dramLineNanojoules: Math.round(config.dram.lineNanojoules),
    },
  };
};

/** The lock is taken before anything is loaded: a second measurer must not even attach. */
const admit = (config: Config): E.Either<Complaint, ActivityPort> => {
  const port = activityPort();
  if (E.isLeft(port)) return E.left(complaintOfNative(port.left, []));
  const lockPath = config.agent.pinDirectory;
  const made = makePinDirectory(lockPath);
  if (E.isLeft(made)) return made;
  const locked = port.right.lockDirectory(lockPath);
  if (E.isLeft(locked)) return E.left(complaintOfLock(locked.left, lockPath));
  return port;
};

const ledgerLimits = (
  { ledger }: Config,
  { isExporting, isExportingThreads }: StartOptions,
): Partial<LedgerLimits> => ({
  ...ledger,
  maxWorkloads: ledger.maxCgroups,
  maxExited: isExporting ? ledger.maxExited : Math.min(ledger.maxExited, MAX_EXITED_UNEXPORTED),
  maxExitedThreads: isExportingThreads ? ledger.maxExited : 0,
});

/** Without calibration nothing is learnt, and nothing learnt before is used. */
const learntStore = (
  config: Config,
  { host, facts }: Machine,
  logger: Logger,
): LearntStore | undefined => {
  const machine = { machineId: host.machineId ?? '', cpuName: facts.cpuModel.name };
  return config.attribution.calibrate
    ? new LearntStore(config.agent.stateDirectory, machine, logger)
    : undefined;
};

/** Before the programs are loaded: they write into its pinned `task` map. */
const openFeed = (
  config: Config,
  { isAgent, logger }: StartOptions,
  { facts, cgroups }: Machine,
  identities: AgentIdentities,
): E.Either<NativeError, PowerFeed | undefined> => {
  if (isAgent !== true || !config.policy.isPublished) return E.right(undefined);
  const port = feedPort();
  if (E.isLeft(port)) return port;
  const isUnified = cgroups.hierarchy === 'unified';
  if (!isUnified)
    logger.warn(
      `power feed: cgroups are named by ${cgroups.hierarchy}, a scheduler sees cgroup v2 only; none is published`,
    );
  return openPowerFeed({
    port: port.right,
    pinDirectory: config.agent.pinDirectory,
    config: config.policy,
    topology: facts.host.topology,
    zones: facts.zones,
    cgroupDirectory: isUnified ? cgroups.directory : undefined,
    cgroupPath: identities.cgroupPath,
    monotonicNanos: systemClock.monotonicNanos,
    logger,
  });
};

interface Opened {
  readonly machine: Machine;
  readonly session: ActivitySession;
  readonly identities: AgentIdentities;
  readonly powerFeed: PowerFeed | undefined;
}

/** Undefined where nobody keeps state, or nothing tells one boot from another. */
const readingsKeeper = (
  config: Config,
  { isKeepingState, logger }: StartOptions,
  { host: { bootId } }: Machine,
  pipeline: Pipeline,
): ReadingsKeeper | undefined =>
  isKeepingState !== true || bootId === undefined
    ? undefined
    : new ReadingsKeeper({
        directory: config.agent.stateDirectory,
        bootId,
        counters: () =>
          new Map([...pipeline.state().counters].map(([id, { counter }]) => [id, counter])),
        clock: systemClock,
        logger,
      });

const assemble = (
  config: Config,
  options: StartOptions,
  { machine, session, identities, powerFeed }: Opened,
): Omit<RunningMeasurement, 'close'> => {
  const { logger, version } = options;
  const { plan, facts } = machine;
  const { topology } = facts.host;
  const ledger = new Ledger(
    { startUnixMillis: systemClock.unixMillis(), limits: ledgerLimits(config, options) },
    identities,
  );
  const losses = new Losses();
  const self = new SelfTotals(
    () => {
      const stats = session.programStats();
      return E.isRight(stats) && config.accounting.bpfStats ? stats.right : [];
    },
    () => ({ ...ledger.losses(), ...losses.counts() }),
    () => pipeline.calibration(),
  );
  ledger.setThreadsEnabled(options.isExportingThreads);
  const threads = createThreadWatch((isWatched) => {
    ledger.setThreadsEnabled(isWatched || options.isExportingThreads);
  });
  const split = {
    idleWatts: config.energy.idleWatts,
    settings: attributionSettings(config),
    isCalibrating: config.attribution.calibrate,
  };
  const pipeline = createPipeline({ plan, topology, ...split });
  const surroundings = surroundingsReader(config, machine, identities.cgroupPath);
  const predictions = new LivePredictions({
    topology,
    session,
    isScaling: powerFeed !== undefined,
    logger,
  });
  const keeper = new CoefficientsKeeper({
    pipeline,
    predictions,
    store: learntStore(config, machine, logger),
    isWriting: options.isKeepingState ?? false,
    clock: systemClock,
    logger,
  });
  keeper.begin();
  const readings = readingsKeeper(config, options, machine, pipeline);
  if (readings !== undefined) pipeline.resume(readings.load());
  const spin = isWatchingSpin(config, options)
    ? createSpinWatch({ ...config.spin, procfsRoot: config.roots.procfs, logger })
    : undefined;
  if (spin !== undefined) self.watchSpin(() => spin.spinning());
  const measurement = new Measurement({
    session,
    read: windowReader(layout, { reusesRows: true }),
    pipeline,
    surroundings: (window) => surroundings.read(window),
    keeper,
    coreScaling: new CoreScaling(topology, session, logger),
    predictions,
    explainer: new Explainer(ledger),
    ledger,
    self,
    losses,
    clock: systemClock,
    logger,
    buildReport: reportBuilder({
      ledger,
      watchedPids: threads.watched,
      losses,
      machine,
      version,
      calibration: () => pipeline.calibration(),
      spinning: () => spin?.spinning() ?? [],
    }),
    sweep: (isEveryEntry) => {
      ledger.endVanished(identities.isAlive, isEveryEntry);
    },
    refreshNames: () => {
      identities.refresh();
      if (options.isDelivering !== true) readings?.keepNowAndThen();
    },
    watchSlots: createSlotWatch(logger),
    powerFeed,
    traceHeader: traceHeader(machine, split, version),
    names: identities,
    spin,
    batchWindows: batchWindows(config),
  });
  const sourceText = sourceLabel(plan).text;
  return { machine, measurement, session, ledger, self, threads, sourceText, identities, readings };
};

const RUN_TIME_STATISTICS = 'enable bpf run time statistics';

/** The programs' run time is worth a warning, not the agent: the kernel asks CAP_SYS_ADMIN for it. */
const openSession = async (
  port: ActivityPort,
  options: SessionOptions,
  logger: Logger,
): Promise<E.Either<NativeError, ActivitySession>> => {
  const opened = await port.open(options)();
  if (E.isRight(opened) || opened.left.operation !== RUN_TIME_STATISTICS) return opened;
  const without = await port.open({ ...options, bpfStats: false })();
  // Without BPF altogether this is not the thing to tell.
  if (E.isRight(without))
    logger.warn(
      complaintText({
        what: RUN_TIME_STATISTICS,
        cause: opened.left.code,
        remedy: 'add CAP_SYS_ADMIN, or set accounting.bpf_stats: false; measuring goes on',
      }),
    );
  return without;
};

/** Loaded only where it is asked for: gRPC takes a quarter of a second of CPU. */
const runtimeNames = async (
  { identity: { criSocket } }: Config,
  logger: Logger,
): Promise<CriNames | undefined> => {
  if (criSocket === undefined) return undefined;
  const { CriNames } = await import('../identity/cri-names.js');
  return new CriNames({
    socketPath: criSocket,
    clock: systemClock,
    onFailure: (cause) => {
      const remedy =
        'measuring goes on without names; check identity.cri_socket and who may open it';
      logger.warn(complaintText({ what: `ask ${criSocket} for names`, cause, remedy }));
    },
  });
};

const closeOf =
  (
    { measurement, identities, readings }: Omit<RunningMeasurement, 'close'>,
    isDelivering: boolean,
  ) =>
  async (): Promise<void> => {
    await measurement.close();
    // Where somebody exports, the last export says up to which reading the joules have arrived.
    if (!isDelivering) readings?.keep();
    identities.close();
  };

export const startMeasurement = async (
  config: Config,
  options: StartOptions,
): Promise<E.Either<Complaint, RunningMeasurement>> => {
  const port = admit(config);
  if (E.isLeft(port)) return port;
  const machine = await surveyMachine(config, { activity: port.right, clock: systemClock });
  const fail = (error: Parameters<typeof complaintOfNative>[0]): E.Either<Complaint, never> =>
    E.left(complaintOfNative(error, port.right.probeFeatures()));
  const names = await runtimeNames(config, options.logger);
  const identities = createAgentIdentities(config.roots, machine.cgroups, names);
  const feed = openFeed(config, options, machine, identities);
  if (E.isLeft(feed)) {
    identities.close();
    return fail(feed.left);
  }
  const powerFeed = feed.right;
  const wanted = sessionOptions(config, machine, powerFeed);
  const opened = await openSession(port.right, wanted, options.logger);
  if (E.isLeft(opened)) {
    powerFeed?.close();
    identities.close();
    return fail(opened.left);
  }
  const session = opened.right;
  const faults = session.counterFaults();
  // The defaults until something better is learnt; with none the kernel would predict nothing.
  session.setCoefficients(
    machine.facts.host.topology.cpuDomains.map(({ coreType }) => defaultCoefficients(coreType)),
  );
  // Only now: what stops the agent is one line, not the last of several.
  sayStart(
    {
      plan: machine.plan,
      hostNotes: machine.facts.host.notes,
      counterNotes: E.isRight(faults) ? counterNotes(faults.right) : [],
      slots: { count: config.accounting.maxTasks, bytesEach: layout.slotRecord.sizeBytes },
      windowMillis: options.windowMillis,
    },
    options.logger,
  );
  const running = assemble(config, options, { machine, session, identities, powerFeed });
  const started = session.start(
    {
      windowMillis: options.windowMillis,
      sources: sourceSpecs(machine.plan),
      wakeEvery: batchWindows(config),
      ...(isWatchingSpin(config, options) ? { wakeBusyEvery: BUSY_BATCH_WINDOWS } : {}),
    },
    running.measurement.onBatch,
  );
  if (E.isLeft(started)) {
    powerFeed?.close();
    await session.close()();
    return fail(started.left);
  }
  return E.right({ ...running, close: closeOf(running, options.isDelivering === true) });
};
