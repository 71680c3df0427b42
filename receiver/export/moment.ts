// SPDX-License-Identifier: Apache-2.0
/**
 * A copy of the ledger as it stood at one moment: all entities, what their sum is made of, and the window
 * that they belong to. Making it takes some 2 µs an entity, far too long in one go at 10,000; so the
 * event loop runs in between, and where the ledger moved meanwhile the copy is begun again.
 */
import {
  WORKLOAD_LEVELS,
  type CgroupTotals,
  type DomainTotals,
  type LedgerView,
  type ProcessTotals,
  type Remainder,
  type ThreadTotals,
  type WorkloadLevel,
  type WorkloadTotals,
} from '../model/ledger-view.js';
import type { WindowReport } from '../model/window.js';
import type { PoolInput } from './entity-kind.js';
import type { Breath } from './entity-points.js';
import { measureLabels } from './labels.js';
import { bothReadings } from './readings.js';

export interface Moment {
  readonly window: WindowReport;
  readonly domains: readonly DomainTotals[];
  readonly processes: PoolInput<ProcessTotals>;
  readonly cgroups: PoolInput<CgroupTotals>;
  /** Undefined: not exported. */
  readonly threads: PoolInput<ThreadTotals> | undefined;
  readonly workloads: ReadonlyMap<WorkloadLevel, PoolInput<WorkloadTotals>>;
}

export type CopiedLevel = 'processes' | 'cgroups' | 'threads' | WorkloadLevel;

export interface MomentPorts {
  readonly ledger: LedgerView;
  /** The last one booked into the ledger. */
  readonly window: () => WindowReport | undefined;
  readonly hasCpuTime: (level: CopiedLevel) => boolean;
  readonly hasThreads: boolean;
}

/** Entities copied between two turns of the event loop: about 1 ms of work. */
const CHUNK_ENTITIES = 500;
/** A window a second and a copy of 50 ms meet once in 20: that they do so four times in a row is no accident. */
const MAX_TRIES = 4;

function* copyOf<Entity>(entities: Iterable<Entity>): Generator<undefined, readonly Entity[]> {
  const copied: Entity[] = [];
  for (const entity of entities) {
    copied.push(entity);
    if (copied.length % CHUNK_ENTITIES === 0) yield;
  }
  return copied;
}

/** What is large comes last, so that a ledger that moves is noticed early. */
function* copyLedger(
  { ledger, hasCpuTime, hasThreads }: MomentPorts,
  window: WindowReport,
): Generator<undefined, Moment> {
  const domains = ledger.domains();
  const overflow = ledger.overflow();
  const endUnixNanos = window.realtimeNanos;
  const rest = (level: CopiedLevel, ...[exited, over]: readonly [Remainder, Remainder]) => ({
    remainder: bothReadings(exited, over),
    labels: measureLabels(domains, hasCpuTime(level)),
    endUnixNanos,
  });
  const workloads = new Map<WorkloadLevel, PoolInput<WorkloadTotals>>();
  for (const level of WORKLOAD_LEVELS) {
    const remainders = rest(level, ledger.exitedWorkloads(level), ledger.overflowWorkloads(level));
    workloads.set(level, { ...remainders, entities: yield* copyOf(ledger.workloads(level)) });
  }
  return {
    window,
    domains,
    workloads,
    cgroups: {
      ...rest('cgroups', ledger.exitedCgroups(), overflow.cgroups),
      entities: yield* copyOf(ledger.cgroups()),
    },
    processes: {
      ...rest('processes', ledger.exitedProcesses(), overflow.processes),
      entities: yield* copyOf(ledger.processes()),
    },
    threads: hasThreads
      ? {
          ...rest('threads', ledger.exitedThreads(), overflow.threads),
          entities: yield* copyOf(ledger.threads()),
        }
      : undefined,
  };
}

/** Undefined before the first window. Rejects where `pause` does. */
export const readMoment = async (
  ports: MomentPorts,
  pause: Breath,
): Promise<Moment | undefined> => {
  for (let tries = 1; ; tries += 1) {
    const window = ports.window();
    if (window === undefined) return undefined;
    const revision = ports.ledger.revision();
    const work = copyLedger(ports, window);
    for (let step = work.next(); ports.ledger.revision() === revision; step = work.next()) {
      if (step.done === true) return step.value;
      // The last time in one go: it blocks for longer, but it comes to an end.
      if (tries < MAX_TRIES) await pause();
    }
  }
};
