// SPDX-License-Identifier: Apache-2.0
/** The power feed while the agent runs: opened before the programs are loaded, published per window, withdrawn at the end. */
import { statSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { LayeredHints } from '../../policy/layered-hints.js';
import type { Policy } from '../../policy/policy.js';
import { FEED_VERSION_DIRECTORY, type FeedPort } from '../../policy/port.js';
import { PolicyPublisher } from '../../policy/publisher.js';
import { powerFeedLimit } from '../../native/feed-layout.generated.js';
import type { NativeError } from '../activity/port.js';
import type { WindowAttribution } from '../attribution/attribute.js';
import type { PolicyConfig } from '../config/config.js';
import type { PowercapZone } from '../energy/powercap.js';
import { integerAt } from '../host/values.js';
import type { ActivityWindow, TaskSample } from '../model/activity.js';
import type { Coefficients } from '../model/coefficients.js';
import type { HostTopology } from '../model/host-topology.js';
import { MICROWATTS_PER_WATT } from '../model/units.js';
import type { WindowReport } from '../model/window.js';
import type { Logger } from './logger.js';
import { observePower } from './observe-power.js';

export const feedDirectory = (pinDirectory: string): string =>
  `${pinDirectory}/${FEED_VERSION_DIRECTORY}`;

export interface PowerFeed {
  readonly directory: string;
  readonly publish: (
    window: ActivityWindow,
    report: WindowReport,
    attribution: WindowAttribution,
    coefficients: readonly Coefficients[],
    isSpinning?: (task: TaskSample) => boolean,
  ) => void;
  readonly close: () => void;
}

export interface PowerFeedParts {
  readonly port: FeedPort;
  readonly pinDirectory: string;
  readonly config: PolicyConfig;
  readonly topology: HostTopology;
  readonly zones: readonly PowercapZone[];
  /** Root of the hierarchy whose ids the windows carry; undefined unless it is cgroup v2. */
  readonly cgroupDirectory: string | undefined;
  readonly cgroupPath: (id: bigint) => string;
  readonly monotonicNanos: () => bigint;
  readonly logger: Logger;
}

const LONG_TERM = 'long_term';
/** Paths whose cgroup is looked up again now and then, because one may be made anew under its name. */
const MAX_KNOWN_PATHS = 4096;

/** `constraint_N_power_limit_uw` of each package's long-term constraint; set at run time by whoever may. */
const limitFiles = (zones: readonly PowercapZone[]): ReadonlyMap<number, string> =>
  new Map(
    zones.flatMap((zone) => {
      const at = zone.constraints.findIndex(({ name }) => name === LONG_TERM);
      const isPackage = zone.kind === 'package' && !zone.controlType.includes('mmio');
      return zone.packageId === undefined || at < 0 || !isPackage
        ? []
        : [
            [
              zone.packageId,
              zone.energyPath.replace(/energy_uj$/, `constraint_${String(at)}_power_limit_uw`),
            ] as const,
          ];
    }),
  );

const readLimits = (files: ReadonlyMap<number, string>): ReadonlyMap<number, number> =>
  new Map(
    [...files].flatMap(([packageId, file]) => {
      const limit = integerAt(file);
      return limit === undefined || limit <= 0n
        ? []
        : [[packageId, Number(limit) / MICROWATTS_PER_WATT] as const];
    }),
  );

/** Inode of the directory, remembered. */
const cgroupIds = (root: string | undefined): ((path: string) => bigint | undefined) => {
  const known = new Map<string, bigint | undefined>();
  return (path) => {
    if (root === undefined) return undefined;
    if (known.has(path)) return known.get(path);
    if (known.size >= MAX_KNOWN_PATHS) known.clear();
    const id = E.toUnion(
      E.tryCatch(
        () => statSync(`${root}${path}`, { bigint: true }).ino,
        () => undefined,
      ),
    );
    known.set(path, id);
    return id;
  };
};

/** Threads that ran, whether their cgroup is over its budget, and whether they spin. */
const hintedTasks = (
  window: ActivityWindow,
  { cgroups }: Policy,
  isSpinning: ((task: TaskSample) => boolean) | undefined,
) => {
  const byId = new Map(cgroups.map((one) => [one.id, one]));
  return window.tasks
    .filter(({ isDead, isKernelThread }) => !isDead && !isKernelThread)
    .map((task) => {
      const policy = byId.get(task.cgroupId);
      return {
        tid: task.tid,
        isOverBudget: policy?.isOverBudget === true,
        isSpinning: isSpinning?.(task) ?? policy?.workload === 'spinning',
      };
    });
};

/** Left: the pins cannot be made; the caller decides whether that ends the agent. */
export const openPowerFeed = (parts: PowerFeedParts): E.Either<NativeError, PowerFeed> => {
  const { port, pinDirectory, config, topology, logger } = parts;
  const directory = feedDirectory(pinDirectory);
  const opened = port.openPublisher(directory, false);
  if (E.isLeft(opened)) return opened;
  const { publisher, adopted, replaced } = opened.right;
  if (adopted.length > 0) logger.info('power feed taken over', { directory, pins: adopted.length });
  for (const pin of replaced)
    logger.warn(`power feed: ${pin} was not of this version and was replaced`);
  const policy = new PolicyPublisher(publisher, {
    settings: {
      budgets: config.budgets,
      batch: config.batch,
      headroomReserve: config.headroomReserve,
      maxCgroups: powerFeedLimit.cgroupsMax,
    },
    validityWindows: config.validityWindows,
    hasTasks: true,
    monotonicNanos: parts.monotonicNanos,
  });
  const files = limitFiles(parts.zones);
  const cgroupIdAt = cgroupIds(parts.cgroupDirectory);
  const hints =
    config.layeredHints === undefined ? undefined : new LayeredHints(port, config.layeredHints);
  let hasFailed = false;
  let isClosed = false;
  let hintCode: string | undefined;
  const giveHints = (
    window: ActivityWindow,
    decided: Policy,
    isSpinning: ((task: TaskSample) => boolean) | undefined,
  ): void => {
    const applied = hints?.apply(hintedTasks(window, decided, isSpinning));
    const code = applied !== undefined && E.isLeft(applied) ? applied.left.code : undefined;
    if (code !== undefined && code !== hintCode)
      logger.warn(`scx_layered hints are not written: ${config.layeredHints ?? ''}: ${code}`);
    hintCode = code;
  };
  return E.right({
    directory,
    publish: (window, report, attribution, coefficients, isSpinning) => {
      // windows that were on their way when the agent was told to stop
      if (isClosed) return;
      const observer = {
        topology,
        coefficients,
        cgroupPath: parts.cgroupPath,
        cgroupIdAt,
        limitWatts: readLimits(files),
        isSpinning,
      };
      const seen = observePower(window, report, attribution.shares, observer);
      if (seen === undefined) return;
      // ids of a v1 hierarchy are not what a scheduler sees
      const observation = parts.cgroupDirectory === undefined ? { ...seen, cgroups: [] } : seen;
      const published = policy.publish(observation);
      if (E.isLeft(published) && !hasFailed) {
        logger.error('power feed cannot be published', {
          operation: published.left.operation,
          code: published.left.code,
        });
      }
      hasFailed = E.isLeft(published);
      if (E.isRight(published)) giveHints(window, published.right, isSpinning);
    },
    close: () => {
      isClosed = true;
      hints?.close();
      const closed = policy.close();
      if (E.isLeft(closed))
        logger.error('power feed was not withdrawn', { code: closed.left.code });
    },
  });
};
