// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  identityOfPath,
  pathBelowMount,
  renderIdentity,
} from '../../../receiver/commands/explain/identity.js';
import { CORPUS, ID } from '../../support/cgroup-corpus.js';

describe('pathBelowMount', () => {
  it.each([
    ['/system.slice/a.service', '/system.slice/a.service'],
    ['/sys/fs/cgroup/system.slice/a.service', '/system.slice/a.service'],
    ['/sys/fs/cgroup/cpu,cpuacct/docker/x', '/docker/x'],
    ['/sys/fs/cgroup/unified/docker/x', '/docker/x'],
    ['/sys/fs/cgroup2/x', '/sys/fs/cgroup2/x'],
  ])('takes %s for %s', (path, below) => {
    expect(pathBelowMount(path, '/sys/fs/cgroup')).toBe(below);
  });
});

describe('renderIdentity', () => {
  it('says what the path says, and by which rules', () => {
    const path = '/lxc.payload.node/system.slice/slurmstepd.scope/job_7/step_batch/user/task_0';
    expect(renderIdentity(identityOfPath(path))).toBe(
      [
        'cgroup     /lxc.payload.node/system.slice/slurmstepd.scope/job_7/step_batch/user',
        '           /task_0',
        'is         container, by the rule lxc-payload',
        'container  lxc node',
        'job        slurm 7 step batch task 0',
        'slice      system.slice',
        'rules      lxc-payload, systemd-slice, slurm-v2, slurm-step, slurm-task',
        '',
      ].join('\n'),
    );
  });

  it('keeps to 80 columns, whatever the path', () => {
    for (const [path] of [...CORPUS, [`/${'x'.repeat(4_000)}`] as const]) {
      for (const line of renderIdentity(identityOfPath(path)).split('\n'))
        expect(line.length, path).toBeLessThanOrEqual(80);
    }
  });

  it('says that a helper is not the container', () => {
    const path = `/machine.slice/libpod-conmon-${ID.A}.scope`;
    expect(renderIdentity(identityOfPath(path))).toContain('helper of the runtime');
    expect(identityOfPath(path)).toMatchObject({ isHelper: true, container: null });
  });
});
