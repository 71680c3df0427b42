// SPDX-License-Identifier: Apache-2.0
/** A ledger whose totals a test moves by hand, with the rules of the real one. */
import type {
  EnergyDomain,
  EnergyOrigin,
  SplitMethod,
} from '../../receiver/model/energy-domain.js';
import {
  processKey,
  threadKey,
  type CgroupTotals,
  type DomainTotals,
  type LedgerView,
  type ProcessIdentity,
  type ProcessTotals,
  type ThreadIdentity,
  type ThreadTotals,
} from '../../receiver/model/ledger-view.js';
import { microjoules, nanos, windowNanos } from '../../receiver/model/units.js';
import type { WindowReport } from '../../receiver/model/window.js';

export const START_UNIX_MILLIS = 1_796_000_000_000;

interface Sums {
  package: bigint;
  dram: bigint;
  cpu: bigint;
}

const none = (): Sums => ({ package: 0n, dram: 0n, cpu: 0n });

const add = (to: Sums, from: Sums): void => {
  to.package += from.package;
  to.dram += from.dram;
  to.cpu += from.cpu;
};

const shown = ({ package: pkg, dram, cpu }: Sums) => ({
  energy: { package: microjoules(pkg), dram: microjoules(dram) },
  cpuNanos: nanos(cpu),
});

export interface MovingProcess {
  identity: ProcessIdentity;
  readonly sums: Sums;
  isExited: boolean;
}

/** The one thread of a process: what it burns is what its process burns. */
interface MovingThread {
  readonly process: MovingProcess;
  readonly sums: Sums;
  readonly seriesStartUnixMillis: number;
}

export const domainNamed = (
  id: string,
  kind: EnergyDomain['kind'],
  more: Partial<EnergyDomain> = {},
): EnergyDomain => ({
  id,
  kind,
  name: id,
  packageId: 0,
  parentId: undefined,
  source: 'powercap',
  origin: 'measured',
  isAttributed: kind === 'package' || kind === 'dram',
  ...more,
});

export class MovingLedger implements LedgerView {
  readonly live = new Map<string, MovingProcess>();
  readonly groups = new Map<bigint, { path: string; sums: Sums }>();
  readonly liveThreads = new Map<string, MovingThread>();
  readonly exited = none();
  readonly exitedThreadSums = none();
  readonly #goneThreads = new Set<string>();
  readonly overflowed = none();
  readonly overflowedGroups = none();
  split: SplitMethod = 'time';
  origin: EnergyOrigin = 'measured';
  hasDram = true;
  nowUnixMillis: number;
  idleMicrojoules = 0n;
  #windows = 0;
  #changes = 0;

  /** A start of one's own where a real clock looks at the points, too. */
  constructor(readonly startUnixMillis = START_UNIX_MILLIS) {
    this.nowUnixMillis = startUnixMillis;
  }

  readonly revision = (): number => this.#changes;

  begin(pid: number, cgroupId = 1n, name = `worker-${pid}`): MovingProcess {
    this.#changes += 1;
    const path = `/slice-${cgroupId}`;
    const begun: MovingProcess = {
      identity: {
        pid,
        startBoottimeNanos: nanos(BigInt(this.nowUnixMillis) * 1_000_000n),
        startUnixMillis: this.nowUnixMillis,
        parentPid: 1,
        name,
        uid: 0,
        user: 'root',
        isKernelThread: false,
        cgroupId,
        cgroupPath: path,
        workload: undefined,
      },
      sums: none(),
      isExited: false,
    };
    this.live.set(processKey(pid, begun.identity.startBoottimeNanos), begun);
    this.#threadOf(begun);
    if (!this.groups.has(cgroupId)) this.groups.set(cgroupId, { path, sums: none() });
    return begun;
  }

  burn(process: MovingProcess, pkg: bigint, dram = pkg / 4n, cpu = pkg * 100n): void {
    this.#changes += 1;
    const burnt = { package: pkg, dram, cpu };
    add(process.sums, burnt);
    add(this.#threadOf(process).sums, burnt);
    const group = this.groups.get(process.identity.cgroupId);
    if (group !== undefined) add(group.sums, burnt);
  }

  readonly retire = (identities: Iterable<ProcessIdentity>): void => {
    this.#changes += 1;
    for (const { pid, startBoottimeNanos } of identities) {
      const key = processKey(pid, startBoottimeNanos);
      const process = this.live.get(key);
      if (process?.isExited !== true) throw new Error(`retire ${key}: not an ended process`);
      this.live.delete(key);
      add(this.exited, process.sums);
    }
  };

  readonly retireThreads = (identities: Iterable<ThreadIdentity>): void => {
    this.#changes += 1;
    for (const { tid, startBoottimeNanos } of identities) {
      const key = threadKey(tid, startBoottimeNanos);
      const thread = this.liveThreads.get(key);
      if (thread?.process.isExited !== true) throw new Error(`retire ${key}: not an ended thread`);
      this.#dropThread(key);
    }
  };

  #dropThread(key: string): void {
    const thread = this.liveThreads.get(key);
    if (thread === undefined) return;
    this.liveThreads.delete(key);
    this.#goneThreads.add(key);
    add(this.exitedThreadSums, thread.sums);
  }

  /** A thread that was retired begins again, at zero and now, as in the real ledger. */
  #threadOf(process: MovingProcess): MovingThread {
    const { pid, startBoottimeNanos, startUnixMillis } = process.identity;
    const key = threadKey(pid, startBoottimeNanos);
    const known = this.liveThreads.get(key);
    if (known !== undefined) return known;
    const since = this.#goneThreads.has(key) ? this.nowUnixMillis : startUnixMillis;
    const seriesStartUnixMillis = Math.max(since, this.startUnixMillis);
    const thread = { process, sums: none(), seriesStartUnixMillis };
    this.liveThreads.set(key, thread);
    return thread;
  }

  total(): Sums {
    const total = none();
    for (const { sums } of this.live.values()) add(total, sums);
    add(total, this.exited);
    add(total, this.overflowed);
    return total;
  }

  readonly domains = (): readonly DomainTotals[] => {
    const total = this.total();
    const { origin } = this;
    const attributed = [
      this.#domain(
        domainNamed('intel-rapl:0', 'package', { name: 'package-0', origin }),
        total.package,
      ),
    ];
    if (this.hasDram) {
      attributed.push(
        this.#domain(domainNamed('intel-rapl:0:1', 'dram', { name: 'dram', origin }), total.dram),
      );
    }
    const core = domainNamed('intel-rapl:0:0', 'core', { name: 'core', parentId: 'intel-rapl:0' });
    const psys = domainNamed('intel-rapl:1', 'platform', { name: 'psys', packageId: undefined });
    return [
      ...attributed,
      this.#domain(core, total.package / 2n),
      this.#domain(psys, total.package * 2n),
    ];
  };

  #domain(domain: EnergyDomain, entities: bigint): DomainTotals {
    const idle = domain.isAttributed ? this.idleMicrojoules : 0n;
    return {
      domain,
      split: this.split,
      acceptedMicrojoules: microjoules(entities + idle),
      coverage: { accounted: nanos(0n), agent_down: nanos(0n), gap: nanos(0n) },
      entitiesMicrojoules: microjoules(entities),
      idleMicrojoules: microjoules(idle),
      irqMicrojoules: microjoules(0n),
      igpuMicrojoules: microjoules(0n),
      countedShare: 0,
      unattributed: new Map([['overflow', microjoules(0n)]] as const),
      windowsAccepted: this.#windows,
      windowsRejected: new Map([['reset', 1]] as const),
      windowsFailed: new Map(),
    };
  }

  *processes(): IterableIterator<ProcessTotals> {
    for (const { identity, sums, isExited } of this.live.values()) {
      const seriesStartUnixMillis = Math.max(identity.startUnixMillis, this.startUnixMillis);
      yield { identity, ...shown(sums), threadCount: 1, seriesStartUnixMillis, isExited };
    }
  }

  *cgroups(): IterableIterator<CgroupTotals> {
    for (const [id, { path, sums }] of this.groups) {
      const common = { seriesStartUnixMillis: this.startUnixMillis, workload: undefined };
      yield { id, path, ...shown(sums), ...common, isExited: false };
    }
  }

  /** Drops a process or a cgroup into the remainder, as the real ledger does when it is full. */
  evictProcess(process: MovingProcess): void {
    this.#changes += 1;
    const { pid, startBoottimeNanos } = process.identity;
    this.live.delete(processKey(pid, startBoottimeNanos));
    add(this.exited, process.sums);
    this.#dropThread(threadKey(pid, startBoottimeNanos));
  }

  evictCgroup(id: bigint): void {
    this.#changes += 1;
    const group = this.groups.get(id);
    if (group === undefined) return;
    add(this.overflowedGroups, group.sums);
    this.groups.set(id, { path: group.path, sums: none() });
  }

  *threads(): IterableIterator<ThreadTotals> {
    for (const { process, sums, seriesStartUnixMillis } of this.liveThreads.values()) {
      const { pid, startBoottimeNanos, startUnixMillis, name } = process.identity;
      yield {
        identity: {
          tid: pid,
          startBoottimeNanos,
          startUnixMillis,
          name,
          pid,
          processStartUnixMillis: startUnixMillis,
        },
        ...shown(sums),
        seriesStartUnixMillis,
        isExited: process.isExited,
      };
    }
  }

  readonly exitedCgroups = () => shown(none());
  readonly workloads: LedgerView['workloads'] = () => [];
  readonly exitedWorkloads = () => shown(none());
  readonly overflowWorkloads = () => shown(none());
  readonly exitedThreads = () => shown(this.exitedThreadSums);
  readonly exitedProcesses = () => shown(this.exited);
  readonly overflow = () => ({
    processes: shown(this.overflowed),
    cgroups: shown(this.overflowedGroups),
    threads: shown(this.overflowed),
  });

  /** Lets time pass and closes a window. */
  window(spanMillis = 1_000): WindowReport {
    this.#changes += 1;
    this.#windows += 1;
    this.nowUnixMillis += spanMillis;
    const endNanos = BigInt(this.nowUnixMillis - this.startUnixMillis) * 1_000_000n;
    const [pkg, , , psys] = this.domains();
    if (pkg === undefined) throw new Error('no domain');
    const spanNanos = nanos(BigInt(spanMillis) * 1_000_000n);
    return {
      index: BigInt(this.#windows),
      startNanos: nanos(endNanos - spanNanos),
      endNanos: nanos(endNanos),
      realtimeNanos: nanos(BigInt(this.nowUnixMillis) * 1_000_000n),
      lateNanos: windowNanos(2_000_000),
      readings: [{ domain: pkg.domain, step: { _tag: 'First' } }],
      balances: [],
      meters:
        psys === undefined
          ? []
          : [
              {
                domain: psys.domain,
                meterMicrojoules: microjoules(5_000_000n),
                restMicrojoules: microjoules(-1_000_000n),
                spanNanos,
              },
            ],
      busyRatio: 0.5,
      stealNanos: undefined,
      stats: {
        switches: 1_000,
        storageMisses: 1,
        slotsExhausted: 0,
        discontinuities: 0,
        storageFailed: 0,
        forks: 3,
        exits: 2,
        flushes: 2,
        cgroupMoves: 0,
        overflowCgroupFull: 0,
      },
      slotsUsed: 300,
      slotsLimit: 65_536,
    };
  }
}
