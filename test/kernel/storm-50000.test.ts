// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildLoads } from '../support/kernel/load.js';
import { cleanStorm, expectWhole, runStorm } from '../support/kernel/storm.js';

describe('accounting of short-lived processes', () => {
  beforeAll(buildLoads);

  afterEach(cleanStorm);

  it('charges a storm of 50,000 processes whole, and sees each die', async () => {
    const storm = { count: 50_000, parallel: 64, minMicros: 0, maxMicros: 60 };
    const seen = expectWhole(await runStorm(storm));

    expect(seen).toStrictEqual({ dead: 50_000, groupDead: 50_000, processes: 50_000 });
  });
});
