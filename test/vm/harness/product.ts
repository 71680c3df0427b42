// SPDX-License-Identifier: Apache-2.0
/**
 * The product in few files, for starts in the simulated machine: of the 20 s of a CPU that a start takes under TCG,
 * most is finding, reading and compiling 300 modules one by one. Same code, same addon, same command line; at least
 * one start of the suite is from the product's own files.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

import { cacheDirectory, PRODUCT_DIRECTORY, VM_DIRECTORY } from './cache.js';

const BUNDLES = 'bundles';
const KEPT_BUNDLES = 4;
/** As in guest-init. */
const COMPILED = 'compiled';
/** Loaded only where it is needed, with files of its own beside it. */
const LEFT_OUT = ['iced-x86'];

const ENTRIES = {
  main: join(PRODUCT_DIRECTORY, 'dist/receiver/main.js'),
  // a thread of its own, found by its name beside whoever starts it
  'spin-worker': join(PRODUCT_DIRECTORY, 'dist/receiver/agent/spin-worker.js'),
  accounting: join(VM_DIRECTORY, 'guest/accounting.mjs'),
};

/** Of everything that goes in: the built product, the packages that it uses, the entries, this file. */
const fingerprint = (): string => {
  const hash = createHash('sha256');
  const dist = join(PRODUCT_DIRECTORY, 'dist');
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .toSorted()
    .map((name) => join(dist, name));
  const here = join(VM_DIRECTORY, 'harness/product.ts');
  const lock = join(PRODUCT_DIRECTORY, 'package-lock.json');
  for (const path of [here, lock, ENTRIES.accounting, ...built]) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
};

const bundleInto = async (directory: string): Promise<void> => {
  await build({
    configFile: false,
    root: PRODUCT_DIRECTORY,
    logLevel: 'error',
    resolve: { alias: { '/product': PRODUCT_DIRECTORY } },
    ssr: { noExternal: true, external: LEFT_OUT },
    build: {
      ssr: true,
      minify: false,
      target: 'node24',
      outDir: join(directory, 'dist/receiver'),
      rolldownOptions: {
        input: ENTRIES,
        // all side by side: the addon is found from where its loader is
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  copyFileSync(join(PRODUCT_DIRECTORY, 'package.json'), join(directory, 'package.json'));
  for (const name of ['native', 'node_modules'])
    symlinkSync(`/product/${name}`, join(directory, name));
};

/** Other working trees on this machine have their own. */
const removeOld = (bundles: string): void => {
  const ageOf = (path: string): number => statSync(path).mtimeMs;
  const paths = readdirSync(bundles).map((name) => join(bundles, name));
  for (const old of paths.toSorted((a, b) => ageOf(b) - ageOf(a)).slice(KEPT_BUNDLES - 1))
    rmSync(old, { recursive: true, force: true });
};

const make = async (): Promise<string> => {
  const bundles = join(cacheDirectory(), BUNDLES);
  const directory = join(bundles, fingerprint());
  if (existsSync(directory)) return directory;
  mkdirSync(bundles, { recursive: true });
  removeOld(bundles);
  const part = `${directory}.${process.pid.toString()}`;
  await bundleInto(part);
  // another process may have been faster
  if (existsSync(directory)) rmSync(part, { recursive: true });
  else renameSync(part, directory);
  return directory;
};

let made: Promise<string> | undefined;
/** Its directory; made anew when the product is another. */
const bundledProduct = (): Promise<string> => (made ??= make());

/** Into the machine's share. */
export const copyProduct = async (share: string): Promise<void> => {
  const options = { recursive: true, verbatimSymlinks: true };
  cpSync(await bundledProduct(), join(share, 'product'), options);
};

/** What Node has compiled in the machine (NODE_COMPILE_CACHE) is kept with what it was compiled from. */
export const keepCompiled = async (share: string): Promise<void> => {
  const compiled = join(share, 'product', COMPILED);
  if (existsSync(compiled))
    cpSync(compiled, join(await bundledProduct(), COMPILED), { recursive: true });
};
