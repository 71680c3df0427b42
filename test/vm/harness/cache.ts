// SPDX-License-Identifier: Apache-2.0
/** Where the images of the simulated machine are kept, and what is still missing there. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type KernelVersion = '6.1' | '6.12' | '7.3';
export const KERNEL_VERSIONS: readonly KernelVersion[] = ['6.1', '6.12', '7.3'];

export const VM_DIRECTORY = fileURLToPath(new URL('..', import.meta.url));
/** What the guest has at /product: this working tree, or another build of the product. */
export const PRODUCT_DIRECTORY =
  process.env['WATTFEED_VM_PRODUCT'] ?? fileURLToPath(new URL('../../..', import.meta.url));

/** The cache of images/common.sh: same variables, same order. */
export const cacheDirectory = (env: NodeJS.ProcessEnv = process.env): string => {
  const base = env['XDG_CACHE_HOME'] ?? join(env['HOME'] ?? homedir(), '.cache');
  return env['WATTFEED_VM_CACHE'] ?? join(base, 'wattfeed', 'vm');
};

/** Runs images/all.sh for these kernels, its progress on our stderr. Returns its exit code. */
export const makeImages = (kernels: readonly KernelVersion[], timeoutMillis: number): number =>
  spawnSync(join(VM_DIRECTORY, 'images', 'all.sh'), kernels, {
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: timeoutMillis,
  }).status ?? 1;

/** Why the VM cannot run on this machine; undefined = it can. Asks for abilities, never for names. */
export const whyNoVm = (): string | undefined => {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `the images are for linux x64, this is ${process.platform} ${process.arch}`;
  }
  if (process.getuid?.() !== 0) return 'making and mounting the roots needs root';
  if (existsSync(join(cacheDirectory(), 'tools.stamp'))) return undefined;
  return spawnSync('apt-get', ['--version']).status === 0
    ? undefined
    : 'the images are not in the cache and there is no apt-get to fetch them';
};
