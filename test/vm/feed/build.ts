// SPDX-License-Identifier: Apache-2.0
/** What the scenarios need besides the product, built on the host: the guest has it below /product. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PRODUCT_DIRECTORY } from '../harness/cache.js';

const GUEST = join(PRODUCT_DIRECTORY, 'test/vm/feed/guest');

const build = (program: string, ...args: readonly string[]): void => {
  const built = spawnSync(program, args, { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${built.stderr}`);
};

/** The schedulers and their loader, in bpf/build. */
export const buildSchedulers = (): void => {
  build('make', '-C', join(PRODUCT_DIRECTORY, 'bpf'), 'schedulers');
};

/** The interactive task of the headroom scenario. */
export const buildLatencyProbe = (): void => {
  mkdirSync(join(GUEST, 'build'), { recursive: true });
  build(
    'cc',
    ...['-O2', '-Wall', '-Wextra', '-Werror'],
    join(GUEST, 'latency.c'),
    '-o',
    join(GUEST, 'build/latency'),
  );
};
