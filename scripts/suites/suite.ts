// SPDX-License-Identifier: Apache-2.0

/** What the probe found out about this machine. `undefined` where the thing is there. */
export interface MachineFacts {
  /** Why BPF programs cannot be loaded here, or undefined where they can. */
  readonly bpfObstacle: string | undefined;
  /** Why the test collector cannot be built here, or undefined where it can (or is cached). */
  readonly collectorObstacle: string | undefined;
  /** Why what is deployed cannot be looked at with the tools of those who deploy it. */
  readonly deployObstacle: string | undefined;
  /** Why AddressSanitizer cannot run here. */
  readonly asanObstacle: string | undefined;
  /** Why a virtual machine cannot be started here. */
  readonly vmObstacle: string | undefined;
}

export type Need = keyof MachineFacts;

/** What a suite fetches and builds before its own clock runs, e.g. by downloads. Its failure is the suite's. */
export interface Preparation {
  readonly command: readonly string[];
  readonly timeoutMinutes: number;
}

/** How a suite is run; each way counts its tests. */
export type Runner =
  | { readonly _tag: 'Checks' }
  | { readonly _tag: 'Vitest'; readonly prepare?: Preparation }
  /** A command that prints `N cases, M failed checks`; without that line it counts as one test. */
  | { readonly _tag: 'Command'; readonly command: readonly string[] };

export interface Suite {
  readonly name: string;
  readonly needs: readonly Need[];
  /** The suite is known only where this path exists: one without files is not listed. */
  readonly path: string;
  /** A hard limit, far above what it takes: beyond it the suite hangs. */
  readonly timeoutMinutes: number;
  /** What it may take on an idle machine of two cores; longer is said, not failed: machines are shared. */
  readonly expectedMinutes?: number;
  readonly runner: Runner;
}

/** In the order in which they run: the cheap and the most telling first. */
export const SUITES: readonly Suite[] = [
  {
    name: 'static',
    needs: [],
    path: 'scripts/suites/checks.ts',
    timeoutMinutes: 8,
    runner: { _tag: 'Checks' },
  },
  {
    name: 'unit',
    needs: [],
    path: 'test/unit',
    timeoutMinutes: 12,
    runner: { _tag: 'Vitest' },
  },
  {
    name: 'native',
    needs: ['bpfObstacle'],
    path: 'test/native',
    timeoutMinutes: 8,
    runner: { _tag: 'Vitest' },
  },
  {
    name: 'native-asan',
    needs: ['bpfObstacle', 'asanObstacle'],
    path: 'scripts/native-asan.sh',
    timeoutMinutes: 20,
    runner: { _tag: 'Command', command: ['bash', 'scripts/native-asan.sh', 'address'] },
  },
  {
    name: 'kernel',
    needs: ['bpfObstacle'],
    path: 'test/kernel',
    timeoutMinutes: 25,
    expectedMinutes: 10,
    runner: { _tag: 'Vitest' },
  },
  {
    name: 'e2e',
    needs: ['bpfObstacle'],
    path: 'test/e2e',
    timeoutMinutes: 12,
    runner: { _tag: 'Vitest' },
  },
  {
    name: 'collector',
    needs: ['bpfObstacle', 'collectorObstacle'],
    path: 'test/e2e/collector',
    timeoutMinutes: 15,
    runner: {
      _tag: 'Vitest',
      prepare: { command: ['bash', 'scripts/build-backends.sh'], timeoutMinutes: 30 },
    },
  },
  {
    name: 'deploy',
    needs: ['bpfObstacle', 'deployObstacle'],
    path: 'test/deploy',
    timeoutMinutes: 8,
    runner: { _tag: 'Vitest' },
  },
  {
    name: 'vm',
    needs: ['vmObstacle'],
    path: 'test/vm',
    timeoutMinutes: 18,
    expectedMinutes: 8,
    runner: {
      _tag: 'Vitest',
      prepare: {
        command: ['bash', 'test/vm/images/all.sh', '7.3', '6.12', '6.1'],
        timeoutMinutes: 12,
      },
    },
  },
];

/** What one suite came to. A test that is `todo` counts as nothing. */
export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly durationSeconds: number;
  /** One line for the table: why it was skipped, or what failed beside single tests. */
  readonly note: string;
  /** What failed and why, a line each. */
  readonly failures: readonly string[];
}
