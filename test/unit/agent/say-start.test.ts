// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../../receiver/agent/logger.js';
import { sayStart, type StartFacts } from '../../../receiver/agent/say-start.js';
import type { LogLevel } from '../../../receiver/config/config.js';

const FACTS: StartFacts = {
  plan: {
    domains: [],
    dropped: [{ id: 'psys', name: 'psys', reason: 'dead', detail: 'stands at 0' }],
    model: undefined,
    notes: [],
    longestWindowMillis: undefined,
  },
  counterNotes: [],
  hostNotes: [{ what: 'read topology', cause: 'cpu3 has none', remedy: '' }],
  slots: { count: 65_536, bytesEach: 256 },
  windowMillis: 1000,
};

const said = (facts: StartFacts, level: LogLevel = 'info'): readonly string[] => {
  const lines: string[] = [];
  sayStart(
    facts,
    createLogger(level, (line) => lines.push(line)),
  );
  return lines;
};

describe('sayStart', () => {
  it('says what the slots take', () => {
    expect(said(FACTS)).toContain(
      'wattfeed: info: task slots count=65536 bytesEach=256 mebibytes=16\n',
    );
  });

  it('warns of windows in which a counter may wrap twice, in the words of check', () => {
    const facts = { ...FACTS, plan: { ...FACTS.plan, longestWindowMillis: 60_000 } };
    const warned = (windowMillis: number): string =>
      said({ ...facts, hostNotes: [], windowMillis }, 'warn').join('');
    expect(warned(60_000)).toBe('');
    expect(warned(60_001)).toBe(
      'wattfeed: warn: windows of 60001 ms are longer than 60000 ms: a counter may wrap twice unseen in one window: such windows are rejected; set the window to at most 60000 ms\n',
    );
  });

  it('warns of what is odd, and keeps what is left out for level debug', () => {
    const odd = 'wattfeed: warn: read topology: cpu3 has none\n';
    expect(said(FACTS, 'warn')).toEqual([odd]);
    expect(said(FACTS).join('')).not.toContain('psys');
    expect(said(FACTS, 'debug').join('')).toContain('energy source not used id=psys');
  });
});
