// SPDX-License-Identifier: Apache-2.0
/** One row of the table: exports of so many process series; prints one line of JSON. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import * as E from 'fp-ts/lib/Either.js';
import { ledgerPorts, producerOptions } from '../../receiver/agent/export-options.js';
import { readEnvironment } from '../../receiver/export/environment.js';
import { startExport } from '../../receiver/export/provider.js';
import { resourceAttributes } from '../../receiver/export/resource.js';
import { SelfTotals } from '../../receiver/export/self-totals.js';
import { keepYoungHeapSmall } from '../../receiver/host/young-heap.js';
import { configFor, RealLedger } from './real-ledger.js';
import { median } from '../lib/statistics.js';

const WARM_EXPORTS = 5;
const MEASURED_EXPORTS = 20;
const MICROS_PER_MILLI = 1_000;
const BYTES_PER_MIB = 1_048_576;

const answer = z.object({ requests: z.number(), bytes: z.number(), largestBytes: z.number() });

/** CPU time of this thread: what others take from a busy machine is not in it. */
const threadMillis = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROS_PER_MILLI;
};

/** The longest the event loop worked without turning while something ran, in CPU time of its thread. */
const longestBlock = async (work: () => Promise<void>): Promise<number> => {
  let longest = 0;
  let last = threadMillis();
  let isRunning = true;
  const turn = (): void => {
    const now = threadMillis();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isRunning = false;
  return longest;
};

const series = Number(process.argv[2] ?? '1000');
const sink = fork(fileURLToPath(new URL('./sink.ts', import.meta.url)), {
  execArgv: ['--import', 'tsx'],
});
const message = async (): Promise<unknown> =>
  z.array(z.unknown()).parse(await once(sink, 'message'))[0];
const { endpoint } = z.object({ endpoint: z.string() }).parse(await message());
const received = async (): Promise<z.infer<typeof answer>> => {
  sink.send('stats');
  return answer.parse(await message());
};

// As main.ts does; run.ts gives the other half of it, which V8 takes from the command line only.
keepYoungHeapSmall();
const config = configFor(series);
const load = new RealLedger(series, config);
const { ledger } = load;
const self = new SelfTotals(
  () => [],
  () => ledger.losses(),
);
const settings = readEnvironment(
  {
    OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    OTEL_METRIC_EXPORT_TIMEOUT: '60000',
    OTEL_EXPORTER_OTLP_COMPRESSION: process.env['OTEL_EXPORTER_OTLP_COMPRESSION'],
  },
  { intervalMillis: 60_000, timeoutMillis: 30_000 },
);
if (E.isLeft(settings)) throw new Error('the environment was refused');
const running = startExport(
  {
    settings: settings.right,
    endpoint,
    resource: resourceAttributes({
      version: '0.0.0',
      hostName: 'node-1',
      machineId: '0123456789abcdef0123456789abcdef',
      serviceName: undefined,
      resourceAttributes: {},
    }),
    producer: producerOptions(config, '0.0.0'),
  },
  {
    ...ledgerPorts({ ledger, self }, config),
    say: (text) => process.stderr.write(`${text}\n`),
    nowMillis: () => performance.now(),
  },
);
if (running === undefined) throw new Error('nothing is exported');
const burn = (): void => {
  self.book(load.burn(), { flush: 1_000, energy: 1_000, scan: 1_000, attribution: 1_000 });
};

const cpuMillis: number[] = [];
const blockMillis: number[] = [];
for (let round = 0; round < WARM_EXPORTS + MEASURED_EXPORTS; round += 1) {
  burn();
  if (round === WARM_EXPORTS) await received();
  const before = process.cpuUsage();
  // The ticker costs CPU of its own: every other export is for the block only.
  if (round % 2 === 0) await running.flush();
  else blockMillis.push(await longestBlock(() => running.flush()));
  const { user, system } = process.cpuUsage(before);
  if (round % 2 === 0 && round >= WARM_EXPORTS) cpuMillis.push((user + system) / MICROS_PER_MILLI);
}
const { bytes, requests, largestBytes } = await received();
process.stdout.write(
  `${JSON.stringify({
    series,
    cpuMillis: median(cpuMillis),
    blockMillis: median(blockMillis),
    blockMaxMillis: Math.max(...blockMillis.slice(2)),
    bytes: bytes / MEASURED_EXPORTS,
    requests: requests / MEASURED_EXPORTS,
    largestBytes,
    residentMib: process.memoryUsage.rss() / BYTES_PER_MIB,
    dropped: Number(running.counts.dropped),
  })}\n`,
);
sink.disconnect();
process.exit(0);
