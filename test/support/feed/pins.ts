// SPDX-License-Identifier: Apache-2.0
/** A private pin directory per test file, and the C reader. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { feedPort } from '../../../native/index.js';
import { FEED_VERSION_DIRECTORY, type FeedPort } from '../../../policy/port.js';

export const valueOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

export const port = (): FeedPort => valueOf(feedPort());

export interface Pins {
  /** What an agent would be given as agent.pin_directory. */
  readonly parent: string;
  readonly directory: string;
  readonly remove: () => void;
}

export const makePins = (name: string): Pins => {
  const parent = `/sys/fs/bpf/wattfeed-test-${name}-${String(process.pid)}`;
  const directory = join(parent, FEED_VERSION_DIRECTORY);
  mkdirSync(parent, { mode: 0o700, recursive: true });
  return {
    parent,
    directory,
    remove: () => {
      if (existsSync(directory)) {
        for (const pin of readdirSync(directory)) unlinkSync(join(directory, pin));
        rmdirSync(directory);
      }
      if (existsSync(parent)) rmdirSync(parent);
    },
  };
};

const build = (source: string, ...options: readonly string[]): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'wattfeed-feed-')), source.replace('.c', ''));
  const built = spawnSync(
    'cc',
    [
      ...['-O2', '-Wall', '-Wextra', '-Werror'],
      ...['-I', join(import.meta.dirname, '../../../bpf/include')],
      ...[join(import.meta.dirname, source), '-o', path, ...options],
    ],
    { encoding: 'utf8' },
  );
  if (built.status !== 0) throw new Error(built.stderr);
  return path;
};

/** Path of the reader, built with nothing but the public header. */
export const buildReader = (): string => build('reader.c');

/** Path of what makes and shows a task hint map as scx_layered pins it. */
export const buildHintMap = (): string => build('hint-map.c', '-lbpf');
