// SPDX-License-Identifier: Apache-2.0
/**
 * A machine whose coefficients are known and are not the priors: what calibration makes of it. The
 * simulator of bench/accuracy, whose physics are not linear, is the harder judge.
 */
import { describe, expect, it } from 'vitest';
import { Calibration } from '../../../../receiver/attribution/calibration/calibration.js';
import type { ActivityWindow, TaskSample } from '../../../../receiver/model/activity.js';
import { defaultCoefficients, type Coefficients } from '../../../../receiver/model/coefficients.js';
import { watts } from '../../../../receiver/model/units.js';
import type { DomainReading } from '../../../../receiver/model/window.js';
import {
  activityWindow,
  advancedReading,
  packageDomain,
  taskSample,
  topologyOf,
} from '../../../support/windows.js';

const TRUTH: Coefficients = {
  cycleNanojoules: 0.4,
  instructionNanojoules: 0.5,
  vectorNanojoules: 0.9,
  llcMissNanojoules: 7,
  coreWatts: 0.8,
  packageOnWatts: 4,
};
const FLOOR_WATTS = 12;
const FLOORS = new Map([['intel-rapl:0', watts(FLOOR_WATTS)]]);
const SECOND = 1_000_000_000;

/** Park and Miller's generator: the same load in each run. */
const generator = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

interface Load {
  readonly ipc: number;
  readonly vectorRatio: number;
  readonly missesPerThousand: number;
  readonly cpus: number;
}

const LOADS: readonly Load[] = [
  { ipc: 2.6, vectorRatio: 0, missesPerThousand: 0.1, cpus: 4 },
  { ipc: 0.8, vectorRatio: 0, missesPerThousand: 1.5, cpus: 2 },
  { ipc: 1.8, vectorRatio: 0.6, missesPerThousand: 0.4, cpus: 6 },
  { ipc: 0.2, vectorRatio: 0, missesPerThousand: 90, cpus: 3 },
  { ipc: 1.2, vectorRatio: 0, missesPerThousand: 5, cpus: 1 },
];

const taskOf = ({ ipc, vectorRatio, missesPerThousand, cpus }: Load, tgid: number): TaskSample => {
  const nanos = cpus * SECOND;
  const cycles = nanos * 3;
  const instructions = cycles * ipc;
  return taskSample({
    tgid,
    runtimeNanos: nanos,
    uncountedNanos: 0,
    uncountedPhiCycles: 0,
    phiCycles: cycles,
    phiInstructions: instructions,
    phiVector: instructions * vectorRatio,
    llcMisses: (instructions * missesPerThousand) / 1000,
    packageOnNanos: SECOND,
  });
};

const truthJoules = (task: TaskSample, by = TRUTH): number =>
  (by.cycleNanojoules * task.phiCycles +
    by.instructionNanojoules * task.phiInstructions +
    by.vectorNanojoules * task.phiVector +
    by.coreWatts * task.runtimeNanos +
    by.llcMissNanojoules * task.llcMisses +
    by.packageOnWatts * task.packageOnNanos) /
  1e9;

interface Second {
  readonly window: ActivityWindow;
  readonly readings: readonly DomainReading[];
}

/** One load at a time, each second another strength; the counter is off by up to 0.5 %. */
const second = (load: Load, random: () => number): Second => {
  const task = taskOf({ ...load, cpus: load.cpus * (0.3 + 0.7 * random()) }, 100);
  const joules = (FLOOR_WATTS + truthJoules(task)) * (1 + 0.01 * (random() - 0.5));
  return {
    window: activityWindow({ tasks: [task] }),
    readings: [advancedReading(packageDomain(), Math.round(joules * 1e6))],
  };
};

const feed = (
  calibration: Calibration,
  seconds: number,
  loadAt: (at: number) => Load,
  seed = 7,
): void => {
  const random = generator(seed);
  for (let at = 0; at < seconds; at++)
    calibration.learn({ ...second(loadAt(at), random), idleFloors: FLOORS });
};

const anyLoad = (at: number): Load =>
  LOADS[Math.floor(at / 3) % LOADS.length] ?? {
    ipc: 1,
    vectorRatio: 0,
    missesPerThousand: 0,
    cpus: 1,
  };

/** Largest difference of a load's share of two, when each runs beside each other one. */
const worstShareError = (by: Coefficients): number => {
  const energies = LOADS.map((load, at) => taskOf({ ...load, cpus: 1 }, at));
  let worst = 0;
  for (const one of energies)
    for (const other of energies) {
      const share = (which?: Coefficients): number =>
        truthJoules(one, which) / (truthJoules(one, which) + truthJoules(other, which));
      worst = Math.max(worst, Math.abs(share(by) - share()));
    }
  return worst;
};

const coefficientsOf = (calibration: Calibration): Coefficients => {
  const [first] = calibration.coefficients();
  if (first === undefined) throw new Error('no CPU domain');
  return first;
};

const newCalibration = (priorFor = defaultCoefficients) =>
  new Calibration(topologyOf(), { isEnabled: true, priorFor });

describe('Calibration', () => {
  it('begins with the priors', () => {
    const calibration = newCalibration();
    expect(coefficientsOf(calibration)).toEqual(defaultCoefficients('cpu'));
    expect(calibration.packages()[0]).toMatchObject({ label: 'prior', windows: 0 });
  });

  it('comes nearer to the truth on a varied load, and says by how much', () => {
    const calibration = newCalibration();
    feed(calibration, 300, anyLoad);
    const [state] = calibration.packages();
    expect(state?.label).toBe('calibrated');
    expect(state?.nrmse ?? NaN).toBeLessThan(0.02);
    expect(state?.nrmse ?? NaN).toBeLessThan(state?.priorNrmse ?? NaN);
    expect(worstShareError(coefficientsOf(calibration))).toBeLessThan(
      worstShareError(defaultCoefficients('cpu')) / 2,
    );
  });

  it('mends priors that are wrong on purpose', () => {
    const wrong = (coreType: string): Coefficients => {
      const prior = defaultCoefficients(coreType);
      return {
        ...prior,
        cycleNanojoules: prior.cycleNanojoules / 2,
        instructionNanojoules: prior.instructionNanojoules * 2,
        packageOnWatts: prior.packageOnWatts * 2,
      };
    };
    const calibration = newCalibration(wrong);
    feed(calibration, 400, anyLoad);
    expect(calibration.packages()[0]?.label).toBe('calibrated');
    expect(worstShareError(coefficientsOf(calibration))).toBeLessThan(
      worstShareError(wrong('cpu')) / 2,
    );
  });

  it('does not leave the priors’ ratios for one steady load, which fits any of them', () => {
    for (const load of LOADS) {
      const calibration = newCalibration();
      feed(calibration, 300, () => load);
      const found = coefficientsOf(calibration);
      const before = worstShareError(defaultCoefficients('cpu'));
      expect(worstShareError(found)).toBeLessThan(before + 0.003);
    }
  });

  it('keeps what it learnt through an hour of one load', () => {
    const calibration = newCalibration();
    feed(calibration, 300, anyLoad);
    const learnt = worstShareError(coefficientsOf(calibration));
    feed(calibration, 3600, () => anyLoad(0), 11);
    expect(calibration.packages()[0]?.label).toBe('calibrated');
    expect(worstShareError(coefficientsOf(calibration))).toBeLessThan(learnt + 0.01);
  });

  it('goes on where it was saved, and takes nothing over from another kind of machine', () => {
    const calibration = newCalibration();
    feed(calibration, 300, anyLoad);
    const saved = calibration.save();
    const next = newCalibration();
    expect(next.restore(saved)).toBe(1);
    expect(next.packages()[0]?.label).toBe('calibrated');
    expect(next.coefficients()).toEqual(calibration.coefficients());
    const hybrid = new Calibration(
      {
        ...topologyOf(),
        cpuDomains: [
          { index: 0, packageId: 0, coreType: 'core', nodeId: 0 },
          { index: 1, packageId: 0, coreType: 'atom', nodeId: 0 },
        ],
      },
      { isEnabled: true },
    );
    expect(hybrid.restore(saved)).toBe(0);
    expect(hybrid.coefficients()[1]).toEqual(defaultCoefficients('atom'));
  });

  it('learns nothing from modelled energy, without an idle floor, or from uncounted slices', () => {
    const random = generator(3);
    const learnt = (change: (second: Second) => Second, floors = FLOORS): number => {
      const calibration = newCalibration();
      for (let at = 0; at < 100; at++)
        calibration.learn({ ...change(second(anyLoad(at), random)), idleFloors: floors });
      return calibration.packages()[0]?.windows ?? NaN;
    };
    expect(learnt((same) => same)).toBe(100);
    expect(learnt((same) => same, new Map())).toBe(0);
    const uncounted = ({ window, readings }: Second): Second => ({
      window: {
        ...window,
        tasks: window.tasks.map((task) => ({ ...task, uncountedNanos: task.runtimeNanos })),
      },
      readings,
    });
    expect(learnt(uncounted)).toBe(0);
    const modelled = ({ window }: Second): Second => ({
      window,
      readings: [advancedReading(packageDomain(0, { origin: 'modelled' }), 30_000_000)],
    });
    expect(learnt(modelled)).toBe(0);
  });
});
