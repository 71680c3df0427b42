// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

import { whyNoVm } from '../../test/vm/harness/cache.js';
import { firstLineOf } from './process.js';
import type { MachineFacts } from './suite.js';

/** Go that the collector's modules at the pinned version ask for in their go.mod. */
const GO_MIN = { major: 1, minor: 26 } as const;

/** Bit numbers in CapEff, include/uapi/linux/capability.h. */
const CAP_SYS_ADMIN = 21n;
const CAP_PERFMON = 38n;
const CAP_BPF = 39n;

const effectiveCapabilities = (): bigint => {
  const match = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return BigInt(`0x${match?.[1] ?? '0'}`);
};

/**
 * The probe does not ask the product (`wattfeed check`), which is what is tested: a mistake there
 * would make its own tests disappear.
 */
const bpfObstacle = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'needs root to load BPF programs';
  const capabilities = effectiveCapabilities();
  const has = (bit: bigint) => ((capabilities >> bit) & 1n) === 1n;
  if (!has(CAP_SYS_ADMIN) && !(has(CAP_BPF) && has(CAP_PERFMON)))
    return 'needs CAP_BPF and CAP_PERFMON';
  if (!existsSync('/sys/kernel/btf/vmlinux'))
    return 'this kernel has no BTF (/sys/kernel/btf/vmlinux)';
  const bpftool = process.env['BPFTOOL'] || 'bpftool';
  if (firstLineOf(bpftool, 'prog', 'list', '-j') === undefined)
    return 'the bpf() system call is refused here (seccomp, lockdown or no bpftool)';
  return undefined;
};

/** `go version go1.26.8 linux/amd64` → whether it is new enough. */
export const isGoNewEnough = (versionLine: string): boolean => {
  const match = /go(\d+)\.(\d+)/.exec(versionLine);
  const [major, minor] = [Number(match?.[1]), Number(match?.[2])];
  return major > GO_MIN.major || (major === GO_MIN.major && minor >= GO_MIN.minor);
};

const collectorObstacle = (): string | undefined => {
  // Built before: they need no Go any more.
  const collector = firstLineOf('bash', 'scripts/build-collector.sh', '--path') ?? '';
  const prometheus = firstLineOf('bash', 'scripts/build-prometheus.sh', '--path') ?? '';
  if (existsSync(collector) && existsSync(join(prometheus, 'promtool'))) return undefined;
  const own = firstLineOf('go', 'version') ?? firstLineOf('/usr/local/go/bin/go', 'version');
  const wanted = `Go >= ${GO_MIN.major}.${GO_MIN.minor}, to build a real OpenTelemetry Collector and Prometheus`;
  if (own === undefined) return `needs ${wanted}; there is no Go here`;
  return isGoNewEnough(own) ? undefined : `needs ${wanted}; this is ${own}`;
};

const asanObstacle = (): string | undefined => {
  // gcc prints the bare name back if it does not have the library.
  const library = firstLineOf('g++', '-print-file-name=libasan.so');
  return library !== undefined && isAbsolute(library) ? undefined : 'needs g++ with libasan';
};

/** Each with a word that it answers without doing anything. */
const DEPLOY_TOOLS = [
  ['systemd-analyze', '--version'],
  ['strace', '--version'],
  ['kubectl', 'version', '--client'],
] as const;

const deployObstacle = (): string | undefined => {
  const missing = DEPLOY_TOOLS.filter(
    ([tool, ...words]) => firstLineOf(tool, ...words) === undefined,
  );
  return missing.length === 0 ? undefined : `needs ${missing.map(([name]) => name).join(', ')}`;
};

/** QEMU and all else come from Debian packages into a cache: test/vm/images. */
export const probeMachine = (): MachineFacts => ({
  bpfObstacle: bpfObstacle(),
  collectorObstacle: collectorObstacle(),
  deployObstacle: deployObstacle(),
  asanObstacle: asanObstacle(),
  vmObstacle: whyNoVm(),
});
