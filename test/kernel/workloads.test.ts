// SPDX-License-Identifier: Apache-2.0
/**
 * Real cgroups of both kinds, a real session, the real attribution, ledger and identities: what is
 * burned in a container is the container's, though processes move and cgroups go.
 */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createAgentIdentities,
  type AgentIdentities,
} from '../../receiver/agent/agent-identities.js';
import { attribute } from '../../receiver/attribution/attribute.js';
import { Ledger } from '../../receiver/attribution/ledger.js';
import { DEFAULT_ROOTS } from '../../receiver/host/roots.js';
import {
  CgroupTree,
  burnInPassing,
  hierarchiesHere,
  renameCgroup,
} from '../support/kernel/cgroup-tree.js';
import { buildLoads, startLoad, type Load } from '../support/kernel/load.js';
import { closeWindowAsleep, startRecording, type Recording } from '../support/kernel/recording.js';
import { advancedReading, packageDomain, topologyOf } from '../support/windows.js';

const BURNT_MILLIS = 60;
const MICROJOULES_PER_WINDOW = 1_000_000;
const idOf = (digit: string): string => digit.repeat(64);

/** Books every window of a recording as soon as it is asked for. */
class Booked {
  private next = 0;
  readonly ledger: Ledger;

  constructor(
    private readonly recording: Recording,
    readonly identities: AgentIdentities,
  ) {
    this.ledger = new Ledger({ startUnixMillis: Date.now() }, identities);
  }

  catchUp(): void {
    const topology = topologyOf();
    for (const window of this.recording.windows.slice(this.next)) {
      const readings = [advancedReading(packageDomain(), MICROJOULES_PER_WINDOW)];
      const idleFloors = new Map();
      this.ledger.book(window, readings, attribute({ window, readings, topology, idleFloors }));
      this.identities.refresh();
      expect(this.ledger.verify()).toEqual([]);
    }
    this.next = this.recording.windows.length;
  }

  millisOf(containerId: string): number {
    this.catchUp();
    for (const { facts, cpuNanos } of this.ledger.workloads('container')) {
      if (facts._tag === 'container' && facts.container.id === containerId)
        return Number(cpuNanos) / 1e6;
    }
    return 0;
  }

  microjoulesOf(containerId: string): bigint {
    this.catchUp();
    for (const { facts, energy } of this.ledger.workloads('container')) {
      if (facts._tag === 'container' && facts.container.id === containerId) return energy.package;
    }
    return 0n;
  }
}

describe.each(hierarchiesHere())('containers in the hierarchy $hierarchy', (here) => {
  const base = `/wattfeed-test-${String(process.pid)}`;
  const place = (id: string): string => `${base}/docker/${id}`;
  const tree = new CgroupTree(here.directory);
  let recording: Recording | undefined;
  let identities: AgentIdentities | undefined;
  let load: Load | undefined;

  beforeAll(buildLoads);
  afterEach(async () => {
    await load?.stop();
    load = undefined;
    await recording?.close();
    identities?.close();
    tree.removeAll();
  });

  const begin = async (): Promise<Booked> => {
    tree.make(`${base}/docker`);
    identities = createAgentIdentities(DEFAULT_ROOTS, here);
    recording = await startRecording({ cgroupHierarchy: here.hierarchy });
    // The first walk, and with it the watches.
    for (let round = 0; round < 1_000; round += 1) identities.refresh();
    return new Booked(recording, identities);
  };

  it('leave their joules where they were spent when a process moves', async () => {
    const [a, b] = [idOf('a'), idOf('b')];
    const booked = await begin();
    if (recording === undefined) throw new Error('no recording');
    tree.make(place(a));
    tree.make(place(b));
    load = await startLoad('burn', [BURNT_MILLIS], { cgroupProcs: [tree.procsOf(place(a))] });
    await load.act();
    await closeWindowAsleep(recording, load.pid);
    const before = [booked.millisOf(a), booked.millisOf(b)];
    const spent = booked.microjoulesOf(a);
    expect(before[0]).toBeGreaterThanOrEqual(BURNT_MILLIS);
    expect(before[1]).toBe(0);

    writeFileSync(tree.procsOf(place(b)), String(load.pid));
    await load.act();
    await closeWindowAsleep(recording, load.pid);
    expect(booked.microjoulesOf(a)).toBe(spent);
    expect(booked.millisOf(a)).toBe(before[0]);
    expect(booked.millisOf(b)).toBeGreaterThanOrEqual(BURNT_MILLIS);
    expect(booked.microjoulesOf(b)).toBeGreaterThan(0n);
  });

  it('keep what they burned when they are removed before the window ends', async () => {
    const id = idOf('c');
    const booked = await begin();
    if (recording === undefined) throw new Error('no recording');
    const current = recording;
    const seen = current.windows.length;
    await burnInPassing(`${here.directory}${place(id)}`, BURNT_MILLIS);
    await current.closeWindow();
    expect(current.windows.length).toBeGreaterThan(seen);
    expect(booked.millisOf(id)).toBeGreaterThanOrEqual(BURNT_MILLIS);
    expect(booked.microjoulesOf(id)).toBeGreaterThan(0n);
    const kept = booked.microjoulesOf(id);
    await current.closeWindow();
    await current.closeWindow();
    expect(booked.microjoulesOf(id)).toBe(kept);
    const [container] = [...booked.ledger.workloads('container')].filter(
      ({ facts }) => facts._tag === 'container' && facts.container.id === id,
    );
    expect(container?.isExited).toBe(true);
  });

  it('are other ones under the same name: joules of the first are not the second’s cgroup’s', async () => {
    const id = idOf('d');
    const booked = await begin();
    if (recording === undefined) throw new Error('no recording');
    await burnInPassing(`${here.directory}${place(id)}`, BURNT_MILLIS);
    await recording.closeWindow();
    const first = booked.microjoulesOf(id);
    await burnInPassing(`${here.directory}${place(id)}`, BURNT_MILLIS);
    await recording.closeWindow();
    expect(booked.microjoulesOf(id)).toBeGreaterThan(first);
    const groups = [...booked.ledger.cgroups()].filter(({ path }) => path === place(id));
    expect(groups.length).toBe(2);
    const sum = groups.reduce<bigint>((total, { energy }) => total + energy.package, 0n);
    expect(booked.microjoulesOf(id)).toBe(sum);
  });

  // v2 knows no rename.
  if (here.hierarchy === 'unified') return;
  it('follow a rename', async () => {
    const [from, to] = [idOf('e'), idOf('f')];
    const booked = await begin();
    if (recording === undefined) throw new Error('no recording');
    tree.make(place(from));
    load = await startLoad('burn', [BURNT_MILLIS], { cgroupProcs: [tree.procsOf(place(from))] });
    await load.act();
    await closeWindowAsleep(recording, load.pid);
    const spent = booked.microjoulesOf(from);
    renameCgroup(`${here.directory}${place(from)}`, `${here.directory}${place(to)}`);
    try {
      await load.act();
      await closeWindowAsleep(recording, load.pid);
      expect(booked.microjoulesOf(from)).toBe(spent);
      expect(booked.millisOf(to)).toBeGreaterThanOrEqual(BURNT_MILLIS);
    } finally {
      await load.stop();
      load = undefined;
      await tree.remove(place(to));
    }
  });
});
