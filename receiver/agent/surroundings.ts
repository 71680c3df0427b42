// SPDX-License-Identifier: Apache-2.0
/** What of the surroundings this configuration and this machine need, and where it is. */
import type { Config } from '../config/config.js';
import { systemClock } from '../host/clock.js';
import type { CgroupHierarchy } from '../host/cgroup-hierarchy.js';
import { SurroundingsReader } from '../surroundings/reader.js';
import type { Machine } from './machine.js';

/** x86 and most arm64 kernels; it only scales all processes alike. */
const PAGE_BYTES = 4096;

const directoryOf = (
  { hierarchy, directory, candidates }: CgroupHierarchy,
  controller: string,
): string | undefined =>
  hierarchy === 'unified' || hierarchy === controller
    ? directory
    : candidates.find((candidate) => candidate.controller === controller)?.directory;

export const surroundingsReader = (
  config: Config,
  { cgroups, facts, plan }: Machine,
  cgroupPath: (id: bigint) => string,
): SurroundingsReader => {
  const { packageIds } = facts.host.topology;
  const hasDram = plan.domains.some(({ domain }) => domain.isAttributed && domain.kind === 'dram');
  const wantsNodes = hasDram && packageIds.length > 1 && config.dram.split === 'misses';
  const wantsRequests = config.attribution.idlePolicy === 'request';
  return new SurroundingsReader({
    memoryDirectory: wantsNodes ? directoryOf(cgroups, 'memory') : undefined,
    cpuDirectory: wantsRequests ? directoryOf(cgroups, 'cpu') : undefined,
    isV2: cgroups.hierarchy === 'unified',
    requestSource: config.attribution.requestSource,
    wantsResident: hasDram && config.dram.split === 'rss',
    procfs: config.roots.procfs,
    pageBytes: PAGE_BYTES,
    cgroupPath,
    clock: systemClock,
  });
};
