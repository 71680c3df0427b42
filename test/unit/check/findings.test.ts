// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import type { KernelFeature } from '../../../receiver/activity/port.js';
import { diagnose } from '../../../receiver/check/diagnose.js';
import {
  readCheckEnvironment,
  type CheckEnvironment,
} from '../../../receiver/check/environment.js';
import { kernelFindings } from '../../../receiver/check/feature-findings.js';
import { renderCheck } from '../../../receiver/check/render.js';
import { listCandidates } from '../../../receiver/energy/candidates.js';
import { readEnergyFacts } from '../../../receiver/energy/facts.js';
import type { Liveness } from '../../../receiver/energy/liveness.js';
import { planEnergy } from '../../../receiver/energy/plan.js';
import {
  cgroupV2Tree,
  cpuTree,
  placesOf,
  powercapTree,
  procTree,
  type Entry,
} from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';
import { alive } from '../../support/energy/plan-of.js';

const FINE: readonly KernelFeature[] = [{ name: 'btf', isAvailable: true, code: '', detail: '' }];
const missing = (name: string, code: string): KernelFeature => ({
  name,
  isAvailable: false,
  code,
  detail: code,
});
/** As measured for root without any capability. */
const UNPRIVILEGED: readonly KernelFeature[] = [
  missing('cap_bpf', 'EPERM'),
  missing('cap_perfmon', 'EPERM'),
  ...FINE,
  missing('tp_btf', 'EPERM'),
  missing('bpffs', 'EPERM'),
  missing('perf_events', 'EACCES'),
];
const PROC = procTree({ kernel: '6.1', cpuinfo: ['vendor_id : GenuineIntel', 'cpu family : 6'] });
const HOST = [
  cpuTree(placesOf({ packages: 1, coresPerPackage: 1, threadsPerCore: 1 })),
  PROC,
  cgroupV2Tree(),
];

const environmentWith = (...parts: readonly Readonly<Record<string, Entry>>[]): CheckEnvironment =>
  readCheckEnvironment(rootsWith(...HOST, ...parts));

const idsOf = (
  features: readonly KernelFeature[],
  environment: CheckEnvironment,
): readonly string[] =>
  kernelFindings(features, environment).map(({ id, level }) => `${level} ${id}`);

describe('kernelFindings', () => {
  it('notes times that are only there in ticks', () => {
    const features = [...FINE, missing('cpu_times', 'ENOENT')];
    expect(idsOf(features, environmentWith())).toEqual(['note kernel-cpu-times']);
  });

  it('has nothing to say where all is there', () => {
    expect(idsOf(FINE, environmentWith())).toEqual([]);
  });

  it('blocks without the addon, and names what /proc and /sys say in its place', () => {
    const bare = environmentWith({ 'proc/self/mounts': 'proc /proc proc rw 0 0' });
    expect(idsOf([], bare)).toEqual(['blocking addon-not-loaded', 'blocking kernel-bpffs']);
  });

  it('does not tell the same twice', () => {
    const bare = environmentWith({ 'proc/self/mounts': '' });
    const probed = missing('bpffs', 'ENOENT');
    expect(idsOf([probed], bare)).toEqual(['blocking kernel-bpffs']);
  });

  it('blocks under lockdown=confidentiality, not under integrity', () => {
    const lockdown = (mode: string): CheckEnvironment =>
      environmentWith({ 'sys/kernel/security/lockdown': mode });
    expect(idsOf(FINE, lockdown('none integrity [confidentiality]'))).toEqual([
      'blocking lockdown-confidentiality',
    ]);
    expect(idsOf(FINE, lockdown('none [integrity] confidentiality'))).toEqual([]);
  });

  it('tells a pid namespace of its own from the initial one', () => {
    const own = environmentWith({ 'proc/self/ns/pid': { target: 'pid:[4026532999]' } });
    expect(own.isInitialPidNamespace).toBe(false);
    expect(idsOf(FINE, own)).toEqual(['blocking kernel-initial-pid-namespace']);
  });

  it('names the sysctl only to those it stops', () => {
    const status = (mask: string): Record<string, string> => ({
      'proc/self/status': `CapEff:\t${mask}`,
    });
    // CAP_BPF alone, then CAP_PERFMON with it, then CAP_SYS_ADMIN.
    expect(idsOf(FINE, environmentWith(status('0000008000000000')))).toEqual([
      'limited perf-paranoid',
    ]);
    expect(idsOf(FINE, environmentWith(status('000000c000000000')))).toEqual([]);
    expect(idsOf(FINE, environmentWith(status('0000000000200000')))).toEqual([]);
  });

  it('calls any other missing feature a kernel that is too old', () => {
    expect(kernelFindings([...FINE, missing('tp_btf', 'EINVAL')], environmentWith())).toMatchObject(
      [
        {
          id: 'kernel-tp-btf',
          level: 'blocking',
          what: 'kernel feature tp_btf is missing: EINVAL',
        },
      ],
    );
  });

  it('says once what cannot be probed for want of a capability, and accuses no kernel', () => {
    const found = kernelFindings(UNPRIVILEGED, environmentWith());
    expect(found).toMatchObject([
      { id: 'kernel-cap-bpf', level: 'blocking', what: 'CAP_BPF is missing: EPERM' },
      { id: 'kernel-cap-perfmon', level: 'blocking', what: 'CAP_PERFMON is missing: EPERM' },
      {
        id: 'kernel-not-probed',
        level: 'note',
        what: 'tp_btf, bpffs, perf_events: cannot be probed without CAP_BPF and CAP_PERFMON',
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('5.15');
  });

  it('takes the word of /proc for what could not be probed', () => {
    const bare = environmentWith({ 'proc/self/mounts': '' });
    expect(idsOf(UNPRIVILEGED, bare)).toContain('blocking kernel-bpffs');
  });

  it('keeps what the kernel refused for another reason apart', () => {
    const found = idsOf([...UNPRIVILEGED, missing('task_iterator', 'ENOENT')], environmentWith());
    expect(found).toContain('blocking kernel-task-iterator');
  });

  it.each([
    ['EPERM', /seccomp/],
    ['EACCES', /5\.15/],
  ])('does not call %s unknown while both capabilities are held', (code, remedy) => {
    const [finding] = kernelFindings([...FINE, missing('tp_btf', code)], environmentWith());
    expect(finding).toMatchObject({ id: 'kernel-tp-btf', level: 'blocking' });
    expect(finding?.remedy).toMatch(remedy);
  });
});

describe('diagnose', () => {
  const run = (
    parts: readonly Readonly<Record<string, Entry>>[],
    liveness: Readonly<Record<string, Liveness>>,
    windowMillis = 1000,
    kernelFeatures = FINE,
  ): ReturnType<typeof diagnose> => {
    const roots = rootsWith(...HOST, ...parts);
    const facts = readEnergyFacts(roots);
    const plan = planEnergy({
      facts,
      candidates: listCandidates(facts),
      liveness: new Map(Object.entries(liveness)),
      config: { sources: 'auto' },
    });
    return diagnose({
      counters: [],
      facts,
      plan,
      kernelFeatures,
      environment: readCheckEnvironment(roots),
      slots: { count: 65_536, bytesEach: 256 },
      windowMillis,
    });
  };

  it('tells in text and JSON what is unknown from what is missing', () => {
    const result = run([], {}, 1000, [...UNPRIVILEGED, missing('task_iterator', 'ENOENT')]);
    const states = result.kernelFeatures.map(({ name, isAvailable, isProbed }) =>
      [name, isAvailable, isProbed].join(' '),
    );
    expect(states).toContain('tp_btf false false');
    expect(states).toContain('task_iterator false true');
    expect(states).toContain('btf true true');
    expect(renderCheck(result)).toContain(
      '  missing  cap_bpf, cap_perfmon, task_iterator\n  unknown  tp_btf, bpffs, perf_events\n',
    );
  });

  it('survives JSON unchanged', () => {
    const result = run([powercapTree([{ id: 'intel-rapl:0', name: 'package-0' }])], {
      'intel-rapl:0': alive(9),
    });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it('counts a machine without any energy source as fine: it is modelled', () => {
    const result = run([], {});
    expect(result.exitCode).toBe(0);
    expect(result.findings.map(({ id }) => id)).toEqual([
      'energy-modelled',
      'rapl-absent',
      'core-pmu-absent',
    ]);
    expect(result.findings[1]?.remedy).toContain('modprobe intel_rapl_msr');
  });

  it('warns of windows in which a counter may wrap twice', () => {
    const zones = [powercapTree([{ id: 'intel-rapl:0', name: 'package-0' }])];
    // 262 kJ at 2 kW, less a tenth: 117.9 s.
    const ids = (millis: number): readonly string[] =>
      run(zones, { 'intel-rapl:0': alive(9) }, millis).findings.map(({ id }) => id);
    expect(ids(118_000)).toContain('window-too-long');
    expect(ids(117_000)).not.toContain('window-too-long');
  });

  it('prints hostile names without their control bytes', () => {
    const result = run([powercapTree([{ id: 'x:0', name: '\u001b[2J\u202eevil' }])], {});
    const text = renderCheck(result);
    expect(text).not.toMatch(/[\u001b\u202e]/);
    expect(text).toContain('evil');
  });
});
