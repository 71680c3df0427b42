// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { Losses } from '../../../../receiver/agent/losses.js';
import { lossText } from '../../../../receiver/commands/top/losses.js';
import { SELF_INSTRUMENTS } from '../../../../receiver/export/self-instruments.js';
import { newLedger } from '../../../support/ledger.js';

/** Everything that a report's `accounting.losses` may hold. */
const NAMES = Object.keys({ ...newLedger().losses(), ...new Losses().counts() });

const spaced = (name: string, by: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => by + letter.toLowerCase());

describe('lossText', () => {
  it('has nothing to tell where nothing was lost', () => {
    expect(lossText({ storageMisses: 0 })).toBeUndefined();
  });

  it('names what it has no words for', () => {
    expect(lossText({ lateTasks: 3 })).toBe('no owner since start: late tasks 3');
  });

  it.each(NAMES)('has words for %s', (name) => {
    expect(lossText({ [name]: 1 })).not.toBe(`no owner since start: ${spaced(name, ' ')} 1`);
  });
});

describe('wattfeed.accounting.losses', () => {
  it.each(NAMES)('says in its description what %s is', (name) => {
    expect(SELF_INSTRUMENTS.accountingLosses.description).toContain(`\`${spaced(name, '_')}\``);
  });
});
