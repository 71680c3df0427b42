// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import {
  identityOfPath,
  pathBelowMount,
  renderIdentity,
} from '../../../receiver/commands/explain/identity.js';
import { CORPUS, ID, UID, UID_ } from '../../support/cgroup-corpus.js';

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
    const path = `/kubepods.slice/kubepods-pod${UID_}.slice/crio-${ID.A}.scope`;
    expect(renderIdentity(identityOfPath(path))).toBe(
      [
        'cgroup     /kubepods.slice/kubepods-pod5f32d849_6210_4886_a48d_e0d90e1d0206.sli',
        `           ce/crio-${ID.A.slice(0, 61)}`,
        '           aaa.scope',
        'is         container, by the rule cri-o-scope',
        `container  cri-o`,
        `           ${ID.A}`,
        `pod        kubernetes ${UID} guaranteed`,
        'slice      kubepods-pod5f32d849_6210_4886_a48d_e0d90e1d0206.slice',
        'rules      systemd-slice, kubernetes-systemd, cri-o-scope',
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
