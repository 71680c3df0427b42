// SPDX-License-Identifier: Apache-2.0
/** `npm run vm -- [--shape smt|numa] [--kernel 6.1|6.12|7.3] [--limit S] [--out DIR] [--no-simhw] COMMAND...` */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { KERNEL_VERSIONS, makeImages, whyNoVm, type KernelVersion } from './harness/cache.js';
import { SHAPES, type Shape } from './harness/machine.js';
import { describeOutcome, runInVm } from './harness/run.js';

const USAGE = `usage: npm run vm -- [options] COMMAND...
  --shape smt|numa         1 socket x 2 cores x 2 threads (default), or 2 sockets x 2 cores, 2 memory nodes
  --kernel 6.1|6.12|7.3    default 7.3, the only one with simhw
  --limit SECONDS          end the machine when the command runs longer; default 300
  --out DIR                where the files of /vm/out go; default a new directory under the temporary one
  --no-simhw               do not load the simulated hardware
COMMAND is run by bash in the machine, with this working tree (as built) at /product.`;

const MAKE_IMAGES_LIMIT_MILLIS = 1_200_000;

const fail = (message: string): never => {
  console.error(`vm: ${message}\n${USAGE}`);
  process.exit(2);
};

const parse = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        shape: { type: 'string', default: 'smt' },
        kernel: { type: 'string', default: '7.3' },
        limit: { type: 'string', default: '300' },
        out: { type: 'string' },
        'no-simhw': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : 'bad arguments');
  }
};

const oneOf = <T extends string>(values: readonly T[], given: string, name: string): T =>
  values.find((value) => value === given) ??
  fail(`--${name} ${given}: one of ${values.join(', ')}`);

const main = async (): Promise<number> => {
  const { values, positionals } = parse();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (positionals.length === 0) return fail('no command given');
  const shape: Shape = oneOf(SHAPES, values.shape, 'shape');
  const kernel: KernelVersion = oneOf(KERNEL_VERSIONS, values.kernel, 'kernel');
  const limitSeconds = Number(values.limit);
  if (!(limitSeconds > 0)) return fail(`--limit ${values.limit}: a number of seconds above 0`);
  const reason = whyNoVm();
  if (reason !== undefined) return fail(`cannot run here: ${reason}`);
  if (makeImages([kernel], MAKE_IMAGES_LIMIT_MILLIS) !== 0) return 1;
  const outDirectory = values.out ?? mkdtempSync(join(tmpdir(), 'wattfeed-vm-out-'));
  const withSimhw = kernel === '7.3' && !values['no-simhw'];
  const result = await runInVm({
    shape,
    kernel,
    script: `${withSimhw ? 'insmod /vm/simhw/simhw.ko || exit 1\n' : ''}${positionals.join(' ')}\n`,
    limitMillis: limitSeconds * 1000,
    outDirectory,
    onSerial: (text) => process.stdout.write(text),
  });
  console.error(
    `vm: ${describeOutcome(result.outcome)}; boot ${result.bootSeconds?.toString() ?? '?'} s, ` +
      `whole run ${result.elapsedSeconds.toFixed(1)} s, attempt ${result.attempts.toString()}; files in ${outDirectory}`,
  );
  return result.outcome._tag === 'Exited' ? result.outcome.code : 1;
};

process.exitCode = await main();
