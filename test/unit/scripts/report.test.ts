// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { joinNotes, preparationObstacle, timeNotes } from '../../../scripts/suites/report.js';
import { SUITES, type Suite } from '../../../scripts/suites/suite.js';

const preparation = { command: ['bash', 'fetch.sh'], timeoutMinutes: 12 };

describe('preparationObstacle', () => {
  it('is nothing for a preparation that went well', () => {
    expect(
      preparationObstacle({ exitCode: 0, timedOut: false, output: 'a warning\n' }, preparation),
    ).toBeUndefined();
  });

  it('is the last line that the preparation said', () => {
    const output = 'vm-images: 1.0 s node\nE: no route\nvm-images: root-guest failed\n\n';
    expect(preparationObstacle({ exitCode: 1, timedOut: false, output }, preparation)).toBe(
      'preparation failed: vm-images: root-guest failed',
    );
  });

  it('names the command that said nothing, or did not end', () => {
    const silent = { exitCode: 3, timedOut: false, output: '' };
    expect(preparationObstacle(silent, preparation)).toMatch(/bash fetch\.sh: exit code 3/);
    const hung = { exitCode: 128, timedOut: true, output: '' };
    expect(preparationObstacle(hung, preparation)).toMatch(/did not end within 12 minutes/);
  });
});

describe('timeNotes', () => {
  const suite: Suite = {
    name: 'vm',
    needs: [],
    path: 'test/vm',
    timeoutMinutes: 16,
    expectedMinutes: 8,
    runner: { _tag: 'Vitest' },
  };

  it('says nothing of a quick preparation and a suite within its time', () => {
    expect(timeNotes(suite, 1, 479)).toEqual([]);
  });

  it('says what the preparation took, and that the suite was slow', () => {
    expect(joinNotes(['', ...timeNotes(suite, 150, 481)])).toBe(
      'prepared in 150 s before; slow: 8 minutes on an idle machine of two cores',
    );
  });
});

describe('SUITES', () => {
  it('all have a hard limit above what they are expected to take', () => {
    for (const { timeoutMinutes, expectedMinutes } of SUITES) {
      expect(timeoutMinutes).toBeGreaterThan(expectedMinutes ?? 0);
    }
  });
});
