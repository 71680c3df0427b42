// SPDX-License-Identifier: Apache-2.0
/** 10,000 real cgroups: all are known after one spread-out walk, and new ones at once. */
import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAgentIdentities } from '../../receiver/agent/agent-identities.js';
import { DEFAULT_ROOTS } from '../../receiver/host/roots.js';
import { hierarchiesHere } from '../support/kernel/cgroup-tree.js';
import { untilDefined } from '../support/until.js';

const PODS = 100;
const CONTAINERS_PER_POD = 99;
/** A refresh has a budget of 2 ms and looks at the clock every 16 directories. */
const MAX_REFRESH_MILLIS = 20;

const here = hierarchiesHere().at(-1);
const base = join(here?.directory ?? '', `wattfeed-test-many-${String(process.pid)}`);
const containerId = (pod: number, at: number): string =>
  `${String(pod).padStart(32, '0')}${String(at).padStart(32, '0')}`;

const podDirectory = (pod: number): string =>
  join(base, `pod00000000-0000-0000-0000-${String(pod).padStart(12, '0')}`);

const forEachContainer = (visit: (directory: string) => void): void => {
  for (let pod = 0; pod < PODS; pod += 1)
    for (let at = 0; at < CONTAINERS_PER_POD; at += 1)
      visit(join(podDirectory(pod), containerId(pod, at)));
};

describe('identities of 10,000 cgroups', () => {
  beforeAll(() => {
    forEachContainer((directory) => mkdirSync(directory, { recursive: true }));
  });
  afterAll(() => {
    forEachContainer(rmdirSync);
    for (let pod = 0; pod < PODS; pod += 1) rmdirSync(podDirectory(pod));
    rmdirSync(base);
  });

  it('are found in small pieces, and a new one at once', async () => {
    if (here === undefined) throw new Error('no cgroup file system');
    const identities = createAgentIdentities(DEFAULT_ROOTS, here);
    try {
      const durations: number[] = [];
      const last = lstatSync(join(podDirectory(PODS - 1), containerId(PODS - 1, 0)), {
        bigint: true,
      }).ino;
      const first = lstatSync(join(podDirectory(0), containerId(0, 0)), { bigint: true }).ino;
      const areKnown = (): boolean =>
        [first, last].every((id) => identities.cgroupIdentity(id)?.container !== undefined);
      for (let round = 0; round < 5_000 && !areKnown(); round += 1) {
        const before = process.threadCpuUsage().user + process.threadCpuUsage().system;
        identities.refresh();
        const after = process.threadCpuUsage().user + process.threadCpuUsage().system;
        durations.push((after - before) / 1_000);
      }
      expect(areKnown()).toBe(true);
      expect(Math.max(...durations)).toBeLessThan(MAX_REFRESH_MILLIS);
      const made = join(podDirectory(3), 'f'.repeat(64));
      mkdirSync(made);
      const { ino } = lstatSync(made, { bigint: true });
      try {
        const identity = await untilDefined('the new cgroup to be known', () =>
          identities.cgroupIdentity(ino),
        );
        expect(identity.kind).toBe('container');
      } finally {
        rmdirSync(made);
      }
    } finally {
      identities.close();
    }
  });
});
