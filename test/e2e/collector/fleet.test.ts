// SPDX-License-Identifier: Apache-2.0
/** Nodes → gateway Collector → Prometheus: no microjoule more or less. `npm run bench:fleet` is 200 nodes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFleet, type RunningFleet } from '../../support/running-fleet.js';

const TICKS = 6;

describe('a fleet whose pods move between nodes', () => {
  let fleet: RunningFleet;

  beforeAll(async () => {
    fleet = await startFleet({
      nodes: 20,
      podsPerNode: 5,
      processesPerPod: 2,
      travellers: 8,
      intervalMillis: 3_600_000,
    });
    for (let tick = 0; tick < TICKS; tick += 1) {
      fleet.fleet.tick();
      await fleet.fleet.flush();
    }
    await fleet.settle();
  }, 80_000);
  afterAll(() => fleet.stop());

  it('has in Prometheus, per pod over all nodes, exactly what was burned', async () => {
    const found = await fleet.microjoulesByPod();
    expect(found.size).toBe(20 * 5 + 8);
    expect(found).toEqual(fleet.fleet.burned);
  });

  it('has each node by its name', async () => {
    const nodes = await fleet.prometheus.query(
      'count by (host_name) (wattfeed_window_count_total)',
    );
    expect(new Set(nodes.map(({ labels }) => labels['host_name']))).toEqual(
      new Set(Array.from({ length: 20 }, (_, index) => `node-${String(index)}`)),
    );
  });

  it('was refused nothing on the way', () => {
    expect(fleet.fleet.said()).toEqual([]);
    expect(fleet.collector.log()).not.toMatch(/\b(error|out of order|dropp)/i);
  });
});
