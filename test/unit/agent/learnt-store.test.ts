// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEARNT_FILE, LearntStore } from '../../../receiver/agent/learnt-store.js';
import { learntText, parseLearnt } from '../../../receiver/agent/learnt-state.js';
import { createLogger } from '../../../receiver/agent/logger.js';
import { designShape } from '../../../receiver/attribution/calibration/design-row.js';
import { PackageFit } from '../../../receiver/attribution/calibration/package-fit.js';
import { topologyOf } from '../../support/windows.js';

const MACHINE = { machineId: 'a'.repeat(32), cpuName: 'Xeon' };
const FITS = [new PackageFit(designShape(topologyOf(), 0)).save()];

describe('LearntStore', () => {
  let directory = '';
  let lines: string[] = [];
  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'wattfeed-learnt-')), 'state');
    lines = [];
  });
  afterEach(() => {
    rmSync(join(directory, '..'), { recursive: true });
  });

  const store = (machine = MACHINE, at = directory) =>
    new LearntStore(
      at,
      machine,
      createLogger('info', (line) => void lines.push(line)),
    );

  it('gives back what it kept, leaves no other file, and says nothing', () => {
    expect(store().load()).toEqual([]);
    store().save(FITS);
    expect(store().load()).toEqual(FITS);
    expect(readdirSync(directory)).toEqual([LEARNT_FILE]);
    expect(lines).toEqual([]);
  });

  it('takes nothing over from another machine, without touching the file', () => {
    store().save(FITS);
    expect(store({ ...MACHINE, cpuName: 'EPYC' }).load()).toEqual([]);
    expect(store({ ...MACHINE, machineId: 'b'.repeat(32) }).load()).toEqual([]);
    expect(store().load()).toEqual(FITS);
    expect(lines.join()).toContain('not taken over');
  });

  it.each(['', '{', '[]', '{"version":1}', 'null', '\0\0'])(
    'sets a broken file aside with one message: %j',
    (text) => {
      store().save(FITS);
      writeFileSync(join(directory, LEARNT_FILE), text);
      const own = store();
      expect(own.load()).toEqual([]);
      expect(lines).toHaveLength(1);
      expect(readFileSync(join(directory, `${LEARNT_FILE}.broken`), 'utf8')).toBe(text);
      expect(existsSync(join(directory, LEARNT_FILE))).toBe(false);
      own.save(FITS);
      expect(store().load()).toEqual(FITS);
    },
  );

  it('says once that it cannot write, and goes on', () => {
    const nowhere = store(MACHINE, '/proc/wattfeed');
    nowhere.save(FITS);
    nowhere.save(FITS);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('agent.state_directory');
  });
});

describe('parseLearnt', () => {
  it('leaves another version alone', () => {
    const text = learntText(MACHINE, FITS).replace('"version":1', '"version":2');
    expect(parseLearnt(text, MACHINE)).toMatchObject({ right: { _tag: 'Foreign' } });
  });

  it('never throws, whatever the file holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['Left', 'Right']).toContain(parseLearnt(text, MACHINE)._tag);
      }),
    );
  });
});
