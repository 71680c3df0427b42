// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { CPU_DOMAINS_MAX, readTopology } from '../../../receiver/host/topology.js';
import { corePmuTree, cpuTree, placesOf } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

describe('readTopology', () => {
  it('reads packages, cores, siblings and nodes of a two-socket server', () => {
    const { topology, notes, hasSmt, isHybrid } = readTopology(
      rootsWith(cpuTree(placesOf({ packages: 2, coresPerPackage: 2, threadsPerCore: 2 }))),
    );
    expect(notes).toEqual([]);
    expect([hasSmt, isHybrid]).toEqual([true, false]);
    expect(topology.packageIds).toEqual([0, 1]);
    expect(topology.cpuDomains).toEqual([
      { index: 0, packageId: 0, coreType: 'cpu', nodeId: 0 },
      { index: 1, packageId: 1, coreType: 'cpu', nodeId: 1 },
    ]);
    expect(topology.cpus).toHaveLength(8);
    expect(topology.cpus[2]).toEqual({
      cpu: 2,
      packageId: 1,
      dieId: 0,
      coreId: 0,
      nodeId: 1,
      coreType: 'cpu',
      smtSibling: 6,
      isOnline: true,
      cpuDomain: 1,
    });
  });

  it('keeps core types of a hybrid CPU apart', () => {
    const places = placesOf({ packages: 1, coresPerPackage: 4, threadsPerCore: 1 });
    const { topology, isHybrid, coreTypes } = readTopology(
      rootsWith(
        cpuTree(places),
        corePmuTree('cpu_core', 4, '0-1'),
        corePmuTree('cpu_atom', 8, '2-3'),
      ),
    );
    expect(isHybrid).toBe(true);
    expect(coreTypes).toEqual(['core', 'atom']);
    expect(topology.cpus.map((cpu) => cpu.cpuDomain)).toEqual([0, 0, 1, 1]);
  });

  it('does not call a machine with one core PMU hybrid', () => {
    const places = placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
    const read = readTopology(rootsWith(cpuTree(places), corePmuTree('armv8_pmuv3_0', 8, '0-1')));
    expect(read.isHybrid).toBe(false);
    expect(read.coreTypes).toEqual(['cpu']);
  });

  it('leaves the sibling out where a core has more than two threads', () => {
    const places = placesOf({ packages: 1, coresPerPackage: 1, threadsPerCore: 4 });
    const { topology, notes, hasSmt } = readTopology(rootsWith(cpuTree(places)));
    expect(hasSmt).toBe(true);
    expect(topology.cpus.map((cpu) => cpu.smtSibling)).toEqual(Array(4).fill(undefined));
    expect(notes[0]?.cause).toContain('4 hardware threads');
  });

  it('lists possible CPUs that are offline, without counting their package', () => {
    const places = placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 1 });
    const { topology, notes } = readTopology(
      rootsWith(cpuTree(places), { 'sys/devices/system/cpu/possible': '0-3' }),
    );
    expect(topology.cpus.map((cpu) => cpu.isOnline)).toEqual([true, true, false, false]);
    expect(topology.packageIds).toEqual([0]);
    expect(notes).toEqual([]);
  });

  it('degrades to one package with a note where sysfs says nothing', () => {
    const roots = rootsWith({ 'proc/cpuinfo': 'processor\t: 0\n\nprocessor\t: 1\n' });
    const { topology, notes, hasSmt } = readTopology(roots);
    expect(topology.cpus.map(({ cpu, packageId }) => [cpu, packageId])).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(hasSmt).toBe(false);
    expect(notes[0]?.what).toBe('read topology of cpu 0-1');
  });

  it('reads a package id of -1 as package 0', () => {
    const { topology } = readTopology(
      rootsWith(cpuTree(placesOf({ packages: 1, coresPerPackage: 1, threadsPerCore: 1 })), {
        'sys/devices/system/cpu/cpu0/topology/physical_package_id': '-1',
      }),
    );
    expect(topology.packageIds).toEqual([0]);
  });

  it('keeps the NUMA nodes of a package apart', () => {
    const places = placesOf({ packages: 1, coresPerPackage: 4, threadsPerCore: 1 });
    const { topology, notes } = readTopology(
      rootsWith(cpuTree(places), {
        'sys/devices/system/node/node0/cpulist': '0-1',
        'sys/devices/system/node/node1/cpulist': '2-3',
      }),
    );
    expect(topology.cpuDomains).toEqual([
      { index: 0, packageId: 0, coreType: 'cpu', nodeId: 0 },
      { index: 1, packageId: 0, coreType: 'cpu', nodeId: 1 },
    ]);
    expect(topology.cpus.map((cpu) => cpu.cpuDomain)).toEqual([0, 0, 1, 1]);
    expect(notes).toEqual([]);
  });

  it('merges the nodes of each package, with a note, where there are too many', () => {
    const places = placesOf({ packages: 2, coresPerPackage: 9, threadsPerCore: 1 });
    const nodes = Object.fromEntries(
      places.map(({ cpu }) => [`sys/devices/system/node/node${String(cpu)}/cpulist`, String(cpu)]),
    );
    const { topology, notes } = readTopology(rootsWith(cpuTree(places), nodes));
    expect(topology.cpuDomains.map(({ packageId, nodeId }) => [packageId, nodeId])).toEqual([
      [0, 0],
      [1, 9],
    ]);
    expect(topology.cpus.map((cpu) => cpu.nodeId)).toEqual(places.map(({ cpu }) => cpu));
    expect(notes.map((note) => note.cause)).toEqual([
      'more than 16 triples of package, core type and NUMA node: the NUMA nodes of a package are not kept apart',
    ]);
  });

  it('never has more CPU domains than the kernel record', () => {
    const shape = { packages: CPU_DOMAINS_MAX + 4, coresPerPackage: 1, threadsPerCore: 1 };
    const { topology, notes } = readTopology(rootsWith(cpuTree(placesOf(shape))));
    expect(topology.cpuDomains).toHaveLength(CPU_DOMAINS_MAX);
    expect(Math.max(...topology.cpus.map((cpu) => cpu.cpuDomain))).toBe(CPU_DOMAINS_MAX - 1);
    expect(topology.packageIds).toHaveLength(CPU_DOMAINS_MAX + 4);
    expect(notes.some((note) => note.cause.includes('accounted as one'))).toBe(true);
  });
});
