// SPDX-License-Identifier: Apache-2.0
/**
 * ABI version 1 of the power feed, frozen here by hand. Where this fails, a reader that was built against v1
 * would read something else: do not change the numbers below, make a v2 (docs/power-feed.md, versions).
 * New fields take spare words; they may be added here.
 */
import { describe, expect, it } from 'vitest';
import * as layout from '../../../native/feed-layout.generated.js';

const offsetsOf = (of: {
  readonly sizeBytes: number;
  readonly offset: Readonly<Record<string, number>>;
  readonly widthBytes: Readonly<Record<string, number>>;
}): string =>
  [
    ...Object.entries(of.offset).map(
      ([name, at]) => `${name}@${String(at)}:${String(of.widthBytes[name])}`,
    ),
    `=${String(of.sizeBytes)}`,
  ].join(' ');

describe('power_feed.h version 1', () => {
  it.each([
    [
      'state',
      layout.powerFeedState,
      'magic@0:4 abiMajor@4:2 abiMinor@6:2 writerPid@8:4 packageMax@12:4 cpuMax@16:4 cgroupMax@20:4 startedNs@24:8 headSpare@32:8 generation@64:8 generationPad@72:8 half@128:128 =384',
    ],
    [
      'state_half',
      layout.powerFeedStateHalf,
      'generation@0:8 publishedNs@8:8 validUntilNs@16:8 windowNs@24:8 source@32:4 split@36:4 flags@40:4 cgroupCount@44:4 packageCount@48:4 cpuCount@52:4 referencePowerMw@56:4 pad@60:4 spare@64:8 =128',
    ],
    [
      'package_half',
      layout.powerFeedPackageHalf,
      'powerMw@0:4 limitMw@4:4 headroomMw@8:4 overMw@12:4 idleFloorMw@16:4 coreMw@20:4 dramMw@24:4 batchBudgetMw@28:4 predictionScalePermille@32:4 busyPermille@36:4 flags@40:4 pad@44:4 pad2@48:8 spare@64:8 =128',
    ],
    [
      'cpu_half',
      layout.powerFeedCpuHalf,
      'coreMw@0:4 frequencyKhz@4:4 busyPermille@8:4 packageId@12:4 placeSiblingMw@16:4 placeCoreMw@20:4 placePackageMw@24:4 flags@28:4 pad2@32:8 spare@64:8 =128',
    ],
    [
      'cgroup_half',
      layout.powerFeedCgroupHalf,
      'cgroupId@0:8 budgetCgroupId@8:8 powerMw@16:4 budgetMw@20:4 overPermille@24:4 burstMs@28:4 flags@32:4 classId@36:2 frequencySensitivityPermille@38:2 dramMw@40:4 energyPerInstructionPj@44:4 queueWaitUs@48:4 spinPermille@52:2 budgetIndex@54:2 headroomBudgetMw@56:4 pad@60:4 spare@64:8 =128',
    ],
    [
      'task',
      layout.powerFeedTask,
      'sequence@0:4 flags@4:4 updatedNs@8:8 energyNj@16:8 dramEnergyNj@24:8 runNs@32:8 foldedNs@40:8 runPowerUw@48:4 powerFastUw@52:4 powerSlowUw@56:4 dramPowerUw@60:4 pendingNj@64:8 pendingDramNj@72:8 pendingNs@80:8 pendingInstructions@88:8 pendingWaitNs@96:8 energyPerInstructionPj@104:4 queueWaitNs@108:4 frequencySensitivityPermille@112:2 smtPenaltyPermille@114:2 spinPermille@116:2 classId@118:2 ipcAloneMilli@120:4 ipcSharedMilli@124:4 pendingLlcMisses@128:8 pendingCycles@136:8 pendingOverlapNs@144:8 writerSpare@152:8 spare@192:8 =256',
    ],
  ])('keeps every offset of %s', (_, of, frozen) => {
    expect(offsetsOf(of)).toBe(frozen);
  });

  it('keeps every number', () => {
    expect(layout.powerFeedLimit).toEqual({
      magic: 0x44454546,
      major: 1,
      minor: 0,
      packagesMax: 64,
      cpusMax: 1024,
      cgroupsMax: 4096,
      unknown16: 0xffff,
    });
    expect(layout.powerFeedStatus).toEqual({ ok: 0, missing: 1, foreign: 2, expired: 3, torn: 4 });
    expect(layout.powerFeedSource).toEqual({
      noSource: 0,
      measured: 1,
      modelled: 2,
      simulated: 3,
    });
    expect(layout.powerFeedSplit).toEqual({ nothing: 0, counters: 1, time: 2 });
    expect(layout.powerFeedClass).toEqual({
      unknown: 0,
      compute: 1,
      memoryBound: 2,
      spinning: 3,
      latency: 4,
    });
    expect(layout.powerFeedTaskFlag).toEqual({ counted: 1 });
    expect(layout.powerFeedCgroupFlag).toEqual({
      overBudget: 1,
      bursting: 2,
      batch: 4,
      workConserving: 8,
      inherited: 16,
    });
    expect(layout.powerFeedStateFlag).toEqual({ hasTasks: 1, withdrawn: 2 });
    expect(layout.powerFeedPackageFlag).toEqual({ hasLimit: 1, measured: 2 });
  });

  it('leaves 64 spare bytes in every entry', () => {
    for (const of of [
      layout.powerFeedStateHalf,
      layout.powerFeedPackageHalf,
      layout.powerFeedCpuHalf,
      layout.powerFeedCgroupHalf,
      layout.powerFeedTask,
    ]) {
      expect(of.sizeBytes - of.offset.spare).toBe(64);
    }
  });
});
