// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CGROUP_RULES, resolveCgroup } from '../../../receiver/identity/resolve-cgroup.js';
import type { CgroupIdentity, ContainerRef } from '../../../receiver/model/workload.js';
import { CORPUS, ID, UID, UID_ } from '../../support/cgroup-corpus.js';

const short = (text: string): string =>
  text.replaceAll(ID.A, 'A').replaceAll(ID.B, 'B').replaceAll(UID, 'UID').replaceAll(UID_, 'UID_');

const containerText = (key: string, { runtime = '?', id, name }: ContainerRef): string =>
  `${key}=${runtime}:${id}${name === undefined ? '' : `=${name}`}`;

/** In the notation of the corpus. */
const textOf = (identity: CgroupIdentity): string => {
  const { container, pod, job, unit, slice, sliceUid, isHelper } = identity;
  const owner = job?.uid ?? job?.user;
  return short(
    [
      identity.kind,
      identity.rule,
      ...(container === undefined ? [] : [containerText('c', container)]),
      ...identity.outerContainers.map((outer) => containerText('o', outer)),
      ...(pod === undefined
        ? []
        : [['p=' + pod.system, pod.uid, ...(pod.qos === undefined ? [] : [pod.qos])].join(':')]),
      ...(job === undefined
        ? []
        : [
            `j=${job.system}:${[job.id, job.step, job.task].filter((part) => part !== undefined).join('/')}` +
              (owner === undefined ? '' : `@${owner}`),
          ]),
      ...(unit === undefined ? [] : [`u=${unit.manager === 'user' ? 'user:' : ''}${unit.name}`]),
      ...(slice === undefined ? [] : [`s=${slice}`]),
      ...(sliceUid === undefined ? [] : [`uid=${String(sliceUid)}`]),
      ...(isHelper ? ['helper'] : []),
    ].join(' '),
  );
};

describe('resolveCgroup', () => {
  it.each(CORPUS)('resolves %s', (path, expected) => {
    expect(textOf(resolveCgroup(path))).toBe(expected);
  });

  it('says the same of a line with the mount point in front and of a trailing slash', () => {
    for (const [path] of CORPUS) {
      if (!path.startsWith('/') || textOf(resolveCgroup(path)) === 'root root') continue;
      expect(textOf(resolveCgroup(`/sys/fs/cgroup/cpuacct${path}/`)), path).toBe(
        textOf(resolveCgroup(path)),
      );
    }
  });

  it('has a case in the corpus for every rule', () => {
    const used = new Set(CORPUS.flatMap(([path]) => resolveCgroup(path).rules));
    const untested = CGROUP_RULES.map(({ name }) => name).filter((name) => !used.has(name));
    expect(untested).toEqual([]);
  });

  it('names every rule once', () => {
    const names = CGROUP_RULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('answers for any text, within a moment', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('..', '.', 'kubepods', 'slurm', 'job_1', 'step_', `docker-${ID.A}.scope`),
      fc.constantFrom('a:b:c', `x:docker:${ID.A}`, '\\x2d', '_', '__', 'user@1.service'),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 80 }), (parts) => {
        const identity = resolveCgroup(`/${parts.join('/')}`);
        expect(identity.rules.length === 0).toBe(
          identity.rule === 'cgroup' || identity.rule === 'root',
        );
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
        resolveCgroup(Buffer.from(bytes).toString('latin1'));
      }),
    );
    for (const piece of ['a', '-', '_', 'condor_', 'kubepods-', 'libpod-', '0', '.']) {
      resolveCgroup(`/${piece.repeat(4_096)}/x`);
    }
  });
});
