// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads } from '../support/kernel/load.js';
import { cleanStorm, expectWhole, runStorm } from '../support/kernel/storm.js';

describe('accounting of short-lived processes', () => {
  beforeAll(buildLoads);

  afterEach(cleanStorm);

  it('charges 2,000 processes of 2-20 ms whole, and sees each die', async () => {
    const storm = { count: 2_000, parallel: 16, minMicros: 2_000, maxMicros: 20_000 };
    const seen = expectWhole(await runStorm(storm));

    expect(seen).toStrictEqual({ dead: 2_000, groupDead: 2_000, processes: 2_000 });
  });
});
