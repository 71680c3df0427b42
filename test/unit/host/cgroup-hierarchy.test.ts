// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { chooseCgroupHierarchy } from '../../../receiver/host/cgroup-hierarchy.js';
import { cgroupHybridTree, cgroupV2Tree } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

describe('chooseCgroupHierarchy', () => {
  it('takes the unified hierarchy on v2', () => {
    expect(chooseCgroupHierarchy(rootsWith(cgroupV2Tree()))).toMatchObject({
      layout: 'v2',
      hierarchy: 'unified',
    });
  });

  it('takes the v1 controller that carries the containers in a hybrid layout', () => {
    const chosen = chooseCgroupHierarchy(rootsWith(cgroupHybridTree()));
    expect(chosen).toMatchObject({ layout: 'hybrid', hierarchy: 'cpuacct' });
    expect(chosen.directory).toMatch(/\/cpu,cpuacct$|\/cpuacct$/);
  });

  it('takes the controller with most cgroups, not the first that exists', () => {
    const roots = rootsWith({
      'sys/fs/cgroup/cpuacct/cgroup.procs': '1',
      'sys/fs/cgroup/memory/cgroup.procs': '1',
      'sys/fs/cgroup/memory/a/cgroup.procs': '2',
      'sys/fs/cgroup/memory/a/b/cgroup.procs': '3',
    });
    expect(chooseCgroupHierarchy(roots)).toMatchObject({
      layout: 'v1',
      hierarchy: 'memory',
      reason: 'holds the most cgroups (2)',
    });
  });

  it('takes the unified tree of a hybrid layout if the v1 controllers are empty', () => {
    const roots = rootsWith({
      'sys/fs/cgroup/cpuacct/cgroup.procs': '1',
      'sys/fs/cgroup/unified/cgroup.controllers': '',
      'sys/fs/cgroup/unified/a/cgroup.procs': '2',
    });
    expect(chooseCgroupHierarchy(roots).hierarchy).toBe('unified');
  });

  it('stays with v1 on a hybrid host without any cgroup', () => {
    const roots = rootsWith({
      'sys/fs/cgroup/cpuacct/cgroup.procs': '1',
      'sys/fs/cgroup/unified/cgroup.controllers': '',
    });
    expect(chooseCgroupHierarchy(roots)).toMatchObject({
      hierarchy: 'cpuacct',
      reason: 'no hierarchy has cgroups below its root yet',
    });
  });

  it('says so where nothing is mounted', () => {
    expect(chooseCgroupHierarchy(rootsWith({ 'proc/x': '' })).layout).toBe('none');
  });
});
