// SPDX-License-Identifier: Apache-2.0
/**
 * What an export costs: process series x CPU, longest block of the event loop (in CPU time of its
 * thread, for the machine is shared), bytes, memory. Each size
 * in a process of its own, against a gRPC server in another. One energy series a process, 200 cgroups.
 */
import { execFileSync } from 'node:child_process';
import { cpus, release } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const SIZES = [100, 1_000, 10_000];
/** Design, section 10. */
const BLOCK_BUDGET_MILLIS = 15;

const row = z.object({
  series: z.number(),
  cpuMillis: z.number(),
  blockMillis: z.number(),
  blockMaxMillis: z.number(),
  bytes: z.number(),
  requests: z.number(),
  residentMib: z.number(),
  dropped: z.number(),
});

const measure = (series: number): z.infer<typeof row> => {
  const script = fileURLToPath(new URL('./case.ts', import.meta.url));
  const output = execFileSync(process.execPath, ['--import', 'tsx', script, String(series)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return row.parse(JSON.parse(output));
};

const [cpu] = cpus();
process.stdout.write(
  `${cpus().length} x ${cpu?.model ?? 'unknown CPU'}, Linux ${release()}, Node ${process.version}\n\n` +
    '| series | CPU ms | block ms (median) | block ms (worst) | kB | requests | RSS MiB |\n' +
    '| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n',
);
let isWithinBudget = true;
for (const size of SIZES) {
  const result = measure(size);
  if (result.dropped > 0) throw new Error(`${result.dropped} points were dropped`);
  isWithinBudget &&= result.blockMillis <= BLOCK_BUDGET_MILLIS;
  const cells = [
    size,
    result.cpuMillis.toFixed(1),
    result.blockMillis.toFixed(1),
    result.blockMaxMillis.toFixed(1),
    (result.bytes / 1_000).toFixed(0),
    result.requests.toFixed(1),
    result.residentMib.toFixed(0),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
process.stdout.write(
  `\nbudget: the event loop is blocked for ${BLOCK_BUDGET_MILLIS} ms at most (median): ${isWithinBudget ? 'kept' : 'MISSED'}\n`,
);
process.exitCode = isWithinBudget ? 0 : 1;
