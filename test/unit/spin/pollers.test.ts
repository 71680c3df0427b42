// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLLERS } from '../../../receiver/model/known-pollers.js';
import type { SpinVerdict } from '../../../receiver/model/spin.js';
import { relabelPolling } from '../../../receiver/spin/pollers.js';

const SPINNING: SpinVerdict = { _tag: 'Spinning', kind: 'pause', confidence: 0.9, evidence: 'e' };
const WORKING: SpinVerdict = { _tag: 'Working', evidence: 'w' };
const relabel = relabelPolling(DEFAULT_POLLERS);

const kindOf = (verdict: SpinVerdict): string =>
  verdict._tag === 'Spinning' ? verdict.kind : verdict._tag;

describe('relabelPolling', () => {
  it.each([
    ['a DPDK worker', 'app', 'lcore-worker-3', '/usr/bin/app', 'polling'],
    ['an SPDK reactor', 'reactor_0', 'reactor_0', '/usr/bin/tgt', 'polling'],
    ['a virtual CPU', 'qemu-system-x86', 'CPU 0/KVM', '/usr/bin/qemu', 'polling'],
    ['an OpenMP barrier', 'solver', 'solver', '/usr/lib/libgomp.so.1.0.0', 'polling'],
    ['an MPI rank', 'rank', 'rank', '/usr/lib/libopen-pal.so.40', 'polling'],
    ['anybody else', 'app', 'worker', '/usr/bin/app', 'pause'],
    ['a directory with such a name', 'app', 'worker', '/opt/dpdk-app/bin/app', 'pause'],
  ])('knows %s', (_what, processName, threadName, hottestPlace, expected) => {
    expect(kindOf(relabel(SPINNING, { processName, threadName, hottestPlace }))).toBe(expected);
  });

  it('says how it waits, and why that is no alarm', () => {
    const names = { processName: 'a', threadName: 'reactor_1', hottestPlace: '' };
    expect(relabel(SPINNING, names)).toMatchObject({
      evidence: 'e (pause); by design, as reactor_*',
      confidence: 0.9,
    });
  });

  it('lets those work that work, except where the kernel polls for a process', () => {
    const names = { processName: 'app', hottestPlace: '' };
    expect(kindOf(relabel(WORKING, { ...names, threadName: 'reactor_1' }))).toBe('Working');
    expect(kindOf(relabel(WORKING, { ...names, threadName: 'iou-sqp-81' }))).toBe('polling');
  });

  it('knows nobody where the list is empty', () => {
    const names = { processName: 'reactor_0', threadName: 'reactor_0', hottestPlace: '' };
    expect(kindOf(relabelPolling([])(SPINNING, names))).toBe('pause');
  });
});
