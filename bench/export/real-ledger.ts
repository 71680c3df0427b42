// SPDX-License-Identifier: Apache-2.0
/** The agent's own ledger with processes in pods, all of which run in every window that is booked. */
import * as E from 'fp-ts/lib/Either.js';
import { attribute } from '../../receiver/attribution/attribute.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { decodeConfig } from '../../receiver/config/decode.js';
import type { Config } from '../../receiver/config/config.js';
import { windowReport } from '../../receiver/attribution/window-report.js';
import { systemClock } from '../../receiver/host/clock.js';
import { resolveCgroup } from '../../receiver/identity/resolve-cgroup.js';
import type { TaskSample } from '../../receiver/model/activity.js';
import { complaintText } from '../../receiver/model/errors.js';
import type { WindowReport } from '../../receiver/model/window.js';
import type { CgroupIdentity } from '../../receiver/model/workload.js';
import {
  activityWindow,
  advancedReading,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../test/support/windows.js';

const CONTAINERS = 200;
const FIRST_CGROUP = 1_000;
const MICROJOULES_PER_PROCESS = 1_000;
const RUNTIME_NANOS = 50_000;

const digits = (value: number, length: number): string =>
  value.toString(16).padStart(length, '0').slice(-length);

const containerPath = (index: number): string => {
  const uid = `5f32d849_6210_4886_a48d_${digits(index, 12)}`;
  const slice = `kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid}.slice`;
  return `/${slice}/cri-containerd-${digits(index, 64)}.scope`;
};

const TOPOLOGY = topologyOf();

const known = new Map<bigint, { readonly path: string; readonly identity: CgroupIdentity }>();
for (let index = 0; index < CONTAINERS; index += 1) {
  const path = containerPath(index);
  known.set(BigInt(FIRST_CGROUP + index), { path, identity: resolveCgroup(path) });
}

/** As an operator gets it, but that every process has a series. */
export const configFor = (series: number): Config => {
  const flags = new Map([
    ['export.max_process_series', String(series)],
    ['ledger.max_processes', String(2 * series)],
  ]);
  const config = decodeConfig({ file: undefined, flags, env: {} });
  if (E.isLeft(config)) throw new Error(config.left.map(complaintText).join('\n'));
  return config.right;
};

export class RealLedger {
  readonly ledger: Ledger;
  readonly #tasks: readonly TaskSample[];
  #index = 0n;

  constructor(series: number, config: Config) {
    this.ledger = new Ledger(
      { startUnixMillis: systemClock.unixMillis(), limits: config.ledger },
      {
        userName: (uid) => `user-${String(uid)}`,
        cgroupPath: (id) => known.get(id)?.path ?? '/',
        cgroupIdentity: (id) => known.get(id)?.identity,
        isCgroupThere: () => true,
        noticeCgroup: () => undefined,
        processName: (_, comm) => comm,
      },
    );
    this.#tasks = Array.from({ length: series }, (_, at) =>
      taskSample({
        tgid: at + 100,
        uid: at % 50,
        processComm: `worker-${String(at)}`,
        cgroupId: BigInt(FIRST_CGROUP + (at % CONTAINERS)),
        runtimeNanos: RUNTIME_NANOS,
      }),
    );
  }

  /** Books one window; the report is what the agent tells of itself. */
  burn(): WindowReport {
    this.#index += 1n;
    const window = activityWindow({ index: this.#index, tasks: this.#tasks });
    const readings = [
      advancedReading(packageDomain(), this.#tasks.length * MICROJOULES_PER_PROCESS),
    ];
    const input = { window, readings, topology: TOPOLOGY, idleFloors: new Map() };
    const attribution = attribute(input);
    this.ledger.book(window, readings, attribution);
    return windowReport(window, readings, attribution, []);
  }
}
