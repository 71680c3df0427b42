// SPDX-License-Identifier: Apache-2.0
/** The schedulers and their loader, built on the host: the guest has them at /product/bpf/build. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PRODUCT_DIRECTORY } from '../harness/cache.js';

export const buildSchedulers = (): void => {
  const built = spawnSync('make', ['-C', join(PRODUCT_DIRECTORY, 'bpf'), 'schedulers'], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(built.stderr);
};
