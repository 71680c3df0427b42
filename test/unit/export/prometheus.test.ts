// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:net';
import { once } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { startPrometheus } from '../../../receiver/export/prometheus.js';
import { parseScrapeAddress } from '../../../receiver/export/scrape-address.js';
import { MovingLedger } from '../../support/moving-ledger.js';
import { DEFAULT_OPTIONS, STAGES } from '../../support/producer-rig.js';
import { selfTotals } from '../../support/self-totals.js';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const serve = async (port: number, isAlone = true) => {
  const ledger = new MovingLedger();
  const self = selfTotals(0);
  const started = await startPrometheus(
    {
      address: { host: '127.0.0.1', port },
      resource: { 'service.name': 'wattfeed', 'host.name': 'node-1' },
      producer: DEFAULT_OPTIONS,
      isAlone,
    },
    {
      ledger,
      self,
      retireExported: ledger.retire,
      retireExportedThreads: ledger.retireThreads,
      retireExportedCgroups: () => undefined,
      retireExportedWorkloads: () => undefined,
    },
  )();
  const scrape = async (): Promise<string> => {
    self.book(ledger.window(200), STAGES);
    const response = await fetch(`http://127.0.0.1:${String(port)}/metrics`);
    expect(response.status).toBe(200);
    return response.text();
  };
  return { ledger, started, scrape };
};

describe('parseScrapeAddress', () => {
  it.each([
    ['9464', { host: '127.0.0.1', port: 9464 }],
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
    [':9464', { host: '::', port: 9464 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['node.example:80', { host: 'node.example', port: 80 }],
    ['0', undefined],
    ['70000', undefined],
    ['a b:80', undefined],
    ['::1:80', undefined],
    ['', undefined],
  ])('takes %j for %j', (text, address) => {
    expect(parseScrapeAddress(text)).toEqual(address);
  });
});

describe('startPrometheus', () => {
  it('shows the ledger under the names that a Collector would make, whole', async () => {
    const { ledger, started, scrape } = await serve(await freePort());
    if (E.isLeft(started)) throw new Error(started.left.cause);
    try {
      const process = ledger.begin(7, 3n, 'work');
      ledger.burn(process, 2_000_000n, 0n);
      const first = await scrape();
      expect(first).toMatch(
        /^wattfeed_process_energy_joules_total\{[^}]*process_pid="7"[^}]*wattfeed_domain="package"[^}]*\} 2\b/m,
      );
      expect(first).toContain('host_name="node-1"');
      expect(first).not.toContain('# UNIT');
      process.isExited = true;
      ledger.burn(process, 1_000_000n, 0n);
      const last = await scrape();
      expect(last).toMatch(
        /^wattfeed_process_energy_joules_total\{[^}]*process_pid="7"[^}]*\} 3\b/m,
      );
      await scrape();
      const after = await scrape();
      expect(after).not.toContain('process_pid="7"');
      expect(after).toMatch(/^wattfeed_process_exited_energy_joules_total\{[^}]*\} 3\b/m);
      expect(ledger.live.size).toBe(0);
    } finally {
      await started.right.stop();
    }
  });

  it('answers scrapes at one moment one after the other', async () => {
    const { ledger, started, scrape } = await serve(await freePort());
    if (E.isLeft(started)) throw new Error(started.left.cause);
    try {
      for (let pid = 1; pid <= 1_500; pid += 1) ledger.burn(ledger.begin(pid, 1n), 1_000_000n, 0n);
      const texts = await Promise.all([scrape(), scrape(), scrape()]);
      for (const text of texts) {
        const values = [
          ...text.matchAll(
            /^wattfeed_process_energy_joules_total\{[^}]*domain="package"[^}]*\} (\S+)/gm,
          ),
        ];
        expect(values.reduce((sum, [, value]) => sum + Number(value), 0)).toBe(1_500);
      }
    } finally {
      await started.right.stop();
    }
  });

  it('leaves the ended to the push where there is one', async () => {
    const { ledger, started, scrape } = await serve(await freePort(), false);
    if (E.isLeft(started)) throw new Error(started.left.cause);
    try {
      const process = ledger.begin(7, 3n, 'work');
      ledger.burn(process, 2_000_000n, 0n);
      process.isExited = true;
      for (let round = 0; round < 4; round += 1) await scrape();
      expect(ledger.live.size).toBe(1);
    } finally {
      await started.right.stop();
    }
  });

  it('says that the port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const { started } = await serve(port);
    server.close();
    expect(E.isLeft(started) && started.left).toMatchObject({ cause: 'EADDRINUSE' });
  });
});
