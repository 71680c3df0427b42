// SPDX-License-Identifier: Apache-2.0
/**
 * Answers who asks how an entity came to its joules: by the next window in which it ran, else by one in
 * which it did not. Nothing is kept for it between windows.
 */
import type { PackageCalibration } from '../attribution/calibration/calibration.js';
import { explainDomains, explainFeatures, type IsOwn } from '../attribution/explain.js';
import type { AttributionInput } from '../attribution/attribute.js';
import type { TaskSample } from '../model/activity.js';
import {
  EXPLANATION_SCHEMA,
  type ExplainedEntity,
  type ExplainTarget,
  type Explanation,
} from '../model/explanation.js';
import { joulesOf, secondsOf } from '../model/units.js';
import type { RatedLedgerView } from '../model/ledger-view.js';
import type { WindowReport } from '../model/window.js';
import { calibrationRow } from './calibration-row.js';
import { windowPart } from '../report/build-report.js';

/** What the agent knows after a window. */
export interface ExplainMoment {
  readonly input: AttributionInput;
  readonly report: WindowReport;
  readonly calibration: readonly PackageCalibration[];
}

/** Windows to wait for an entity that sleeps. */
const PATIENCE_WINDOWS = 5;
/** What was just born has a row in the second window at the latest; then nobody waits any longer for it. */
const KNOWN_BY_WINDOWS = PATIENCE_WINDOWS - 2;

interface Waiting {
  readonly target: ExplainTarget;
  windowsLeft: number;
  readonly resolve: (explanation: Explanation | undefined) => void;
}

interface Entity {
  readonly entity: ExplainedEntity;
  readonly isOwn: IsOwn;
}

type Ledger = Pick<RatedLedgerView, 'processes' | 'cgroups'>;

const findProcess = (pid: number, ledger: Ledger): Entity | undefined => {
  // A pid that was used again has two entries: the later one is meant.
  let found: Entity | undefined;
  for (const { identity, energy, cpuNanos } of ledger.processes()) {
    if (identity.pid !== pid) continue;
    const { startBoottimeNanos } = identity;
    found = {
      entity: {
        kind: 'process',
        pid,
        name: identity.name,
        user: identity.user,
        cgroup: identity.cgroupPath,
        packageJoules: joulesOf(energy.package),
        dramJoules: joulesOf(energy.dram),
        cpuSeconds: secondsOf(cpuNanos),
      },
      isOwn: (task: TaskSample) =>
        task.tgid === pid && task.processStartBoottimeNanos === startBoottimeNanos,
    };
  }
  return found;
};

const findCgroup = (path: string, ledger: Ledger): Entity | undefined => {
  const wanted = path.length > 1 ? path.replace(/\/+$/, '') : path;
  for (const { id, path: own, energy, cpuNanos } of ledger.cgroups()) {
    if (own !== wanted) continue;
    return {
      entity: {
        kind: 'cgroup',
        pid: null,
        name: own.split('/').at(-1) ?? own,
        user: null,
        cgroup: own,
        packageJoules: joulesOf(energy.package),
        dramJoules: joulesOf(energy.dram),
        cpuSeconds: secondsOf(cpuNanos),
      },
      isOwn: ({ cgroupId }: TaskSample) => cgroupId === id,
    };
  }
  return undefined;
};

const find = (target: ExplainTarget, ledger: Ledger): Entity | undefined =>
  'pid' in target ? findProcess(target.pid, ledger) : findCgroup(target.cgroup, ledger);

const explain = ({ entity, isOwn }: Entity, moment: ExplainMoment): Explanation => ({
  schema: EXPLANATION_SCHEMA,
  window: windowPart(moment.report),
  entity,
  features: explainFeatures(moment.input, isOwn),
  domains: explainDomains(moment.input, isOwn),
  idlePolicy: moment.input.settings?.idlePolicy ?? 'none',
  calibration: moment.calibration.map(calibrationRow),
});

export class Explainer {
  #waiting: Waiting[] = [];

  constructor(private readonly ledger: Ledger) {}

  get isAsked(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves after the next windows; undefined: the ledger knows no such entity. */
  async ask(target: ExplainTarget): Promise<Explanation | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ target, windowsLeft: PATIENCE_WINDOWS, resolve });
    });
  }

  /** Called after each window was booked, while somebody asks. */
  answer(moment: ExplainMoment): void {
    this.#waiting = this.#waiting.filter((waiting) => {
      waiting.windowsLeft -= 1;
      const entity = find(waiting.target, this.ledger);
      const hasRun = entity !== undefined && moment.input.window.tasks.some(entity.isOwn);
      const hasEnergy = moment.report.balances.length > 0;
      const isUnknown = entity === undefined && waiting.windowsLeft <= KNOWN_BY_WINDOWS;
      if (!(hasRun && hasEnergy) && !isUnknown && waiting.windowsLeft > 0) return true;
      waiting.resolve(entity && explain(entity, moment));
      return false;
    });
  }

  /** No window will come any more. */
  close(): void {
    for (const { resolve } of this.#waiting) resolve(undefined);
    this.#waiting = [];
  }
}
