// SPDX-License-Identifier: Apache-2.0
/** A cgroup of the test's own, in the hierarchy that carries CPU accounting on this host. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { untilDefined } from '../until.js';

const V1_ROOT = '/sys/fs/cgroup/cpuacct';
const V2_ROOT = '/sys/fs/cgroup';
const NANOS_PER_MICRO = 1_000;
const EMPTY_WITHIN_MILLIS = 10_000;

export interface TestCgroup {
  /** The directory's inode: what the kernel calls the cgroup's id. */
  readonly id: bigint;
  readonly procsPath: string;
  /** CPU time of all tasks that are or were in it, by the kernel's own account. */
  usageNanos(): number;
  add(pid: number): void;
  remove(): Promise<void>;
}

const isV1 = existsSync(`${V1_ROOT}/cpuacct.usage`);

/** For SessionOptions.cgroupHierarchy. */
export const cgroupHierarchy = isV1 ? 'cpuacct' : 'unified';

const usageOf = (directory: string): number => {
  if (isV1) return Number(readFileSync(`${directory}/cpuacct.usage`, 'utf8'));
  const stat = readFileSync(`${directory}/cpu.stat`, 'utf8');
  return Number(/^usage_usec (\d+)/m.exec(stat)?.[1]) * NANOS_PER_MICRO;
};

export const makeCgroup = (name: string): TestCgroup => {
  const directory = `${isV1 ? V1_ROOT : V2_ROOT}/wattfeed-test-${name}-${String(process.pid)}`;
  const procsPath = `${directory}/cgroup.procs`;
  mkdirSync(directory);
  return {
    id: statSync(directory, { bigint: true }).ino,
    procsPath,
    usageNanos: () => usageOf(directory),
    add: (pid) => {
      writeFileSync(procsPath, String(pid));
    },
    remove: async () => {
      await untilDefined(
        `${directory} to be empty`,
        () => (readFileSync(procsPath, 'utf8') === '' ? true : undefined),
        { deadlineMillis: EMPTY_WITHIN_MILLIS, everyMillis: 20 },
      );
      rmdirSync(directory);
    },
  };
};
