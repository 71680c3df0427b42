// SPDX-License-Identifier: Apache-2.0
/**
 * What an export costs: process series x CPU, longest block of the event loop (in CPU time of its
 * thread, for the machine is shared), bytes, memory. Each size in a process of its own, against a gRPC
 * server in another: the agent's ledger, with a series per process, in 200 containers of 200 pods.
 */
import { execFileSync } from 'node:child_process';
import { cpus, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const SIZES = [100, 1_000, 10_000, 50_000];
const COMPRESSIONS = ['none', 'gzip'] as const;
/** A collector's default limit for a message, after decompression. */
const MESSAGE_LIMIT_BYTES = 4 * 1_048_576;
/** The first line of receiver/main.ts. */
const V8_FLAGS = ['--min-semi-space-size=2'];
/** Design, section 10. */
const BLOCK_BUDGET_MILLIS = 15;
const BLOCK_BUDGET_SERIES = 10_000;

const row = z.object({
  series: z.number(),
  cpuMillis: z.number(),
  blockMillis: z.number(),
  blockMaxMillis: z.number(),
  bytes: z.number(),
  requests: z.number(),
  largestBytes: z.number(),
  residentMib: z.number(),
  dropped: z.number(),
});

const measure = (series: number, compression: string): z.infer<typeof row> => {
  const script = fileURLToPath(new URL('./case.ts', import.meta.url));
  const output = execFileSync(
    process.execPath,
    [...V8_FLAGS, '--import', 'tsx', script, String(series)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, OTEL_EXPORTER_OTLP_COMPRESSION: compression },
    },
  );
  return row.parse(JSON.parse(output));
};

const [cpu] = cpus();
process.stdout.write(
  `${cpus().length} x ${cpu?.model ?? 'unknown CPU'}, Linux ${release()}, Node ${process.version}\n\n` +
    '| series | gzip | CPU ms | block ms (median) | block ms (worst) | kB | requests | largest kB | RSS MiB |\n' +
    '| ---: | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n',
);
let isWithinBudget = true;
for (const size of SIZES) {
  for (const compression of COMPRESSIONS) {
    const result = measure(size, compression);
    if (result.dropped > 0) throw new Error(`${result.dropped} points were dropped`);
    if (result.largestBytes > MESSAGE_LIMIT_BYTES)
      throw new Error(`a message of ${result.largestBytes} bytes`);
    if (size <= BLOCK_BUDGET_SERIES) isWithinBudget &&= result.blockMillis <= BLOCK_BUDGET_MILLIS;
    const cells = [
      size,
      compression === 'gzip' ? 'yes' : 'no',
      result.cpuMillis.toFixed(1),
      result.blockMillis.toFixed(1),
      result.blockMaxMillis.toFixed(1),
      (result.bytes / 1_000).toFixed(0),
      result.requests.toFixed(1),
      (result.largestBytes / 1_000).toFixed(0),
      result.residentMib.toFixed(0),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
process.stdout.write(
  `\nbudget: the event loop is blocked for ${BLOCK_BUDGET_MILLIS} ms at most (median, up to ${BLOCK_BUDGET_SERIES} series): ${isWithinBudget ? 'kept' : 'MISSED'}\n`,
);
process.exitCode = isWithinBudget ? 0 : 1;
