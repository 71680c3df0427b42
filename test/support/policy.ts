// SPDX-License-Identifier: Apache-2.0
/** Observations and settings for tests of the policy. */
import fc from 'fast-check';
import type {
  CgroupObservation,
  Observation,
  PackageObservation,
} from '../../policy/observation.js';
import type { Budget, PolicySettings } from '../../policy/policy.js';

export const SETTINGS: PolicySettings = {
  budgets: [],
  batch: [],
  headroomReserve: 0.05,
  maxCgroups: 4096,
};

export const cgroup = (path: string, over: Partial<CgroupObservation> = {}): CgroupObservation => ({
  id: BigInt(Buffer.from(path).reduce((sum, byte) => sum * 31 + byte, path.length) % 2 ** 40),
  path,
  packageWatts: 1,
  dramWatts: 0,
  cpuRatio: 0.5,
  instructions: 0,
  llcMisses: 0,
  countedSeconds: 0,
  queueWaitSeconds: 0,
  voluntarySwitches: 0,
  involuntarySwitches: 10,
  spinRatio: undefined,
  ...over,
});

export const cpuPackage = (over: Partial<PackageObservation> = {}): PackageObservation => ({
  packageId: 0,
  watts: 30,
  limitWatts: 65,
  idleFloorWatts: 10,
  coreWatts: undefined,
  dramWatts: undefined,
  origin: 'measured',
  busyRatio: 0.5,
  cpuCount: 4,
  predictedWatts: 20,
  ...over,
});

export const observation = (over: Partial<Observation> = {}): Observation => ({
  windowSeconds: 1,
  origin: 'measured',
  split: 'time',
  cgroups: [],
  packages: [cpuPackage()],
  cpus: [],
  ...over,
});

export const budget = (path: string, watts: number, over: Partial<Budget> = {}): Budget => ({
  match: { _tag: 'Path', path },
  watts,
  burstMillis: 1000,
  isWorkConserving: false,
  ...over,
});

const wattsArbitrary = fc.double({ min: 0, max: 500, noNaN: true });

/** Up to a dozen cgroups with different paths and ids, three levels deep. */
export const cgroupsArbitrary: fc.Arbitrary<readonly CgroupObservation[]> = fc
  .uniqueArray(
    fc
      .array(fc.constantFrom('a', 'b', 'c'), { minLength: 0, maxLength: 3 })
      .map((names) => `/${names.join('/')}`),
    { maxLength: 12 },
  )
  .chain((paths) =>
    fc.tuple(
      ...paths.map((path, at) =>
        wattsArbitrary.map((packageWatts) => cgroup(path, { id: BigInt(at + 1), packageWatts })),
      ),
    ),
  );

export const packagesArbitrary: fc.Arbitrary<readonly PackageObservation[]> = fc
  .array(
    fc.record({
      watts: fc.option(wattsArbitrary, { nil: undefined }),
      limitWatts: fc.option(fc.double({ min: 1, max: 400, noNaN: true }), { nil: undefined }),
      idleFloorWatts: fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined }),
      predictedWatts: wattsArbitrary,
      busyRatio: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rows) => rows.map((row, packageId) => cpuPackage({ ...row, packageId })));
