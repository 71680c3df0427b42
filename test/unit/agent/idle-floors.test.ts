// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';

import { IdleFloors } from '../../../receiver/agent/idle-floors.js';
import { alive, planOf } from '../../support/energy/plan-of.js';
import { powercapTree } from '../../support/machines/tree.js';

const PACKAGE = 'intel-rapl:0';
const CORES = 'intel-rapl:0:0';

const plan = planOf(
  [
    powercapTree([
      { id: 'intel-rapl:0', name: 'package-0' },
      { id: 'intel-rapl:0:0', name: 'core' },
    ]),
  ],
  { [PACKAGE]: alive(20), [CORES]: alive(4) },
);

describe('IdleFloors', () => {
  const idOf = (kind: string): string =>
    plan.domains.find(({ domain }) => domain.kind === kind)?.domain.id ?? '';

  it('takes idle cores for gated where only the floor of the package is configured', () => {
    const watts = new IdleFloors({ plan, idleWatts: 13 }).watts();
    expect(watts.get(idOf('package'))).toBe(13);
    expect(watts.get(idOf('core'))).toBe(0);
  });

  it('knows neither before anything was seen', () => {
    const watts = new IdleFloors({ plan, idleWatts: undefined }).watts();
    expect(watts.get(idOf('package'))).toBeUndefined();
    expect(watts.get(idOf('core'))).toBeUndefined();
  });
});
