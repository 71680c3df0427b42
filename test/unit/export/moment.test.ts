// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { readMoment } from '../../../receiver/export/moment.js';
import type { WindowReport } from '../../../receiver/model/window.js';
import { MovingLedger } from '../../support/moving-ledger.js';

const PROCESSES = 1_200;

const rig = () => {
  const ledger = new MovingLedger();
  const processes = Array.from({ length: PROCESSES }, (_, at) => ledger.begin(at + 1));
  let window: WindowReport | undefined = ledger.window();
  const ports = {
    ledger,
    window: () => window,
    hasCpuTime: () => true,
    hasThreads: true,
  };
  const book = (): void => {
    for (const process of processes) ledger.burn(process, 1n, 0n);
    window = ledger.window();
  };
  const forget = (): void => {
    window = undefined;
  };
  return { ledger, ports, book, forget };
};

const sum = (values: Iterable<{ readonly energy: { readonly package: bigint } }>): bigint =>
  [...values].reduce((total, { energy }) => total + energy.package, 0n);

describe('readMoment', () => {
  it('lets the event loop run between chunks of entities', async () => {
    const { ports } = rig();
    let pauses = 0;
    const moment = await readMoment(ports, () => {
      pauses += 1;
      return Promise.resolve();
    });
    expect(moment?.processes.entities).toHaveLength(PROCESSES);
    expect(moment?.threads?.entities).toHaveLength(PROCESSES);
    expect(pauses).toBeGreaterThanOrEqual(4);
  });

  it('begins again where a window is booked meanwhile: everything is of the later one', async () => {
    const { ledger, ports, book } = rig();
    let pauses = 0;
    const moment = await readMoment(ports, () => {
      pauses += 1;
      if (pauses === 3) book();
      return Promise.resolve();
    });
    expect(moment?.window.index).toBe(2n);
    expect(sum(moment?.processes.entities ?? [])).toBe(BigInt(PROCESSES));
    expect(sum(moment?.cgroups.entities ?? [])).toBe(BigInt(PROCESSES));
    expect(sum(moment?.threads?.entities ?? [])).toBe(BigInt(PROCESSES));
    expect(moment?.domains[0]?.entitiesMicrojoules).toBe(ledger.total().package);
  });

  it('comes to an end where the ledger never stands still, and is of one moment then, too', async () => {
    const { ports, book } = rig();
    const moment = await readMoment(ports, () => {
      book();
      return Promise.resolve();
    });
    const total = moment?.domains[0]?.entitiesMicrojoules;
    expect(total).toBeGreaterThan(0n);
    expect(sum(moment?.processes.entities ?? [])).toBe(total);
    expect(sum(moment?.cgroups.entities ?? [])).toBe(total);
  });

  it('is undefined before the first window', async () => {
    const { ports, forget } = rig();
    forget();
    expect(await readMoment(ports, () => Promise.resolve())).toBeUndefined();
  });

  it('rejects where its time is over', async () => {
    const { ports } = rig();
    const late = readMoment(ports, () => Promise.reject(new Error('late')));
    await expect(late).rejects.toThrow('late');
  });
});
