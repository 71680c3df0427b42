// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { matches } from '../../../policy/match.js';
import { budgetOf, matchOf } from '../../../receiver/config/policy-lines.js';

const ID = '4f5e6a7b8c9d4f5e6a7b8c9d4f5e6a7b8c9d4f5e6a7b8c9d4f5e6a7b8c9d4f5e';

describe('matches', () => {
  it.each([
    ['path:/a/b', '/a/b', true],
    ['path:/a/b/', '/a/b', true],
    ['path:/a', '/a/b', false],
    ['unit:batch.service', '/system.slice/batch.service', true],
    ['unit:batch.service', '/system.slice/batch.service/sub', false],
    ['name:jobs', '/x/jobs', true],
    [`container:${ID}`, `/system.slice/docker-${ID}.scope`, true],
    [`container:${ID.slice(0, 12)}`, `/kubepods.slice/cri-containerd-${ID}.scope`, true],
    [`container:${ID.slice(0, 12)}`, `/docker/${ID}`, true],
    [`container:${ID.slice(1, 13)}`, `/docker/${ID}`, false],
  ])('%s means %s: %s', (line, path, is) => {
    expect(matches(matchOf(line), path)).toBe(is);
  });
});

describe('budgetOf', () => {
  it.each([
    ['unit:a.service 20W', { watts: 20, burstMillis: 1000, isWorkConserving: false }],
    ['path:/x 2.5 W burst 250ms', { watts: 2.5, burstMillis: 250, isWorkConserving: false }],
    ['name:jobs 7W burst 0ms soft', { watts: 7, burstMillis: 0, isWorkConserving: true }],
  ])('reads %s', (line, expected) => {
    expect(budgetOf(line)).toMatchObject(expected);
  });
});
