// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  powerFeedCgroupHalf,
  powerFeedPackageHalf,
  powerFeedStateHalf,
} from '../../../native/feed-layout.generated.js';
import { decide, INITIAL_STATE } from '../../../policy/decide.js';
import { encodePolicy } from '../../../policy/encode.js';
import { encodeRecords, readRecords } from '../../../policy/record-bytes.js';
import { CgroupSlots } from '../../../policy/slots.js';
import { budget, cgroup, observation, SETTINGS } from '../../support/policy.js';

const STAMP = { nowNanos: 10n ** 15n, validUntilNanos: 10n ** 15n + 3n, hasTasks: true };

describe('encodeRecords', () => {
  it('clamps and rounds every number into its member, and reads back what fits', () => {
    fc.assert(
      fc.property(fc.double(), fc.bigInt(), (watts, id) => {
        const bytes = encodeRecords(powerFeedCgroupHalf, [
          { powerMw: watts, cgroupId: id, classId: watts },
        ]);
        const [record] = readRecords(powerFeedCgroupHalf, bytes);
        const clamp = (value: number, most: number): number =>
          Number.isNaN(value) ? 0 : Math.min(most, Math.max(0, Math.round(value)));
        expect(record?.number('powerMw')).toBe(clamp(watts, 0xffffffff));
        expect(record?.number('classId')).toBe(clamp(watts, 0xffff));
        expect(record?.bigint('cgroupId')).toBe(
          id < 0n ? 0n : id > 2n ** 64n - 1n ? 2n ** 64n - 1n : id,
        );
      }),
    );
  });
});

describe('encodePolicy', () => {
  const { policy } = decide(
    INITIAL_STATE,
    observation({
      cgroups: [cgroup('/a', { packageWatts: 12 }), cgroup('/a/b', { packageWatts: 3 })],
    }),
    { ...SETTINGS, budgets: [budget('/a', 10)] },
  );
  const [outer, inner] = [policy.cgroups[0]?.id ?? 0n, policy.cgroups[1]?.id ?? 0n];
  const halves = encodePolicy(
    policy,
    new Map([
      [outer, 4],
      [inner, 1],
    ]),
    STAMP,
  );

  it('puts each cgroup at its index, holes empty, and points to the budget’s owner', () => {
    const records = readRecords(powerFeedCgroupHalf, halves.cgroups);
    expect(records).toHaveLength(5);
    expect(records.map((one) => one.bigint('cgroupId'))).toEqual([0n, inner, 0n, 0n, outer]);
    expect(records[4]?.number('powerMw')).toBe(15_000);
    expect(records[1]?.number('budgetIndex')).toBe(4);
    expect(records[1]?.bigint('budgetCgroupId')).toBe(outer);
    expect(records[1]?.number('budgetMw')).toBe(10_000);
  });

  it('counts what is there and says until when it holds', () => {
    const [state] = readRecords(powerFeedStateHalf, halves.state);
    expect(state?.number('cgroupCount')).toBe(5);
    expect(state?.number('packageCount')).toBe(1);
    expect(state?.bigint('validUntilNs')).toBe(STAMP.validUntilNanos);
    expect(state?.number('source')).toBe(1);
    expect(state?.number('flags')).toBe(1);
    const [one] = readRecords(powerFeedPackageHalf, halves.packages);
    expect(one?.number('headroomMw')).toBe(35_000);
  });
});

describe('CgroupSlots', () => {
  it('never gives one index to two, keeps it while its cgroup lives, and frees it one window later', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(fc.bigInt({ min: 1n, max: 12n }), { maxLength: 8 }), {
          maxLength: 40,
        }),
        (windows) => {
          const slots = new CgroupSlots(8);
          let last: ReadonlyMap<bigint, number> = new Map();
          for (const ids of windows) {
            const now = slots.assign(ids);
            const used = ids.flatMap((id) => now.get(id) ?? []);
            expect(new Set(used).size).toBe(used.length);
            expect(Math.max(-1, ...used)).toBeLessThan(8);
            for (const id of ids) {
              if (last.has(id)) expect(now.get(id)).toBe(last.get(id));
            }
            // what left in this window is not anybody else's yet
            for (const [id, index] of last) {
              if (!ids.includes(id)) expect(used).not.toContain(index);
            }
            last = new Map([...now].filter(([id]) => ids.includes(id)));
          }
        },
      ),
    );
  });
});
