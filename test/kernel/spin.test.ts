// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { examineProcess } from '../../receiver/agent/examine-process.js';
import { describeSpinningCorpus } from '../support/kernel/spinning-corpus.js';

describeSpinningCorpus(0);

describe('examineProcess', () => {
  it('says that there is no such process', async () => {
    const examined = await examineProcess({
      procfsRoot: '/proc',
      pid: 4_194_303,
      seconds: 1,
      pollers: [],
    })();
    expect(examined).toMatchObject({ left: { cause: 'there is no such process' } });
  });
});
