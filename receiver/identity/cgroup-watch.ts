// SPDX-License-Identifier: Apache-2.0
/**
 * Tells of new cgroups the moment they are made (inotify works on both cgroup file systems): one that
 * is gone before the window ends is known by its path all the same. Bounded; what is not watched is
 * found as before, through its processes and by walks.
 */
import { watch, type FSWatcher } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { directoryFacts, joinPath } from './cgroup-files.js';

export interface CgroupWatchOptions {
  /** A directory that was made, or renamed to this. */
  readonly onCreated: (directory: Buffer) => void;
  readonly maxDirectories?: number;
}

/** About 1 KiB of the kernel's and 1.5 KiB of Node's memory each. */
const DEFAULT_MAX_DIRECTORIES = 4_096;

/** Units and containers without cgroups of their own seldom get any: not worth a watch. */
const BARREN = /(?:\.(?:service|scope|mount|socket|swap)|[0-9a-f]{64})$/;

export class CgroupWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private isFull = false;

  public constructor(private readonly options: CgroupWatchOptions) {}

  public get size(): number {
    return this.watchers.size;
  }

  /** Begins to watch a directory in which cgroups may be made; twice is fine. */
  public add(directory: Buffer, isLeaf: boolean): void {
    const key = directory.toString('latin1');
    if (isLeaf && BARREN.test(key)) return;
    if (this.isFull || this.watchers.has(key)) return;
    if (this.watchers.size >= (this.options.maxDirectories ?? DEFAULT_MAX_DIRECTORIES)) return;
    const watcher = E.tryCatch(
      () =>
        watch(directory, { persistent: false, encoding: 'buffer' }, (event, name) => {
          // `change`: somebody wrote a file there.
          if (event === 'rename' && name !== null) this.changed(key, directory, name);
        }),
      (error) => error,
    );
    if (E.isLeft(watcher)) {
      // ENOSPC: the user's inotify watches are used up. ENOENT: it is gone already.
      this.isFull = isNoSpace(watcher.left);
      return;
    }
    watcher.right.on('error', () => {
      this.remove(key);
    });
    this.watchers.set(key, watcher.right);
  }

  public close(): void {
    for (const key of [...this.watchers.keys()]) this.remove(key);
  }

  private changed(key: string, directory: Buffer, name: Buffer): void {
    const child = joinPath(directory, name);
    // A watched directory that was removed says its own name.
    if (directory.subarray(-name.length).equals(name)) this.removeIfGone(key, directory);
    this.removeIfGone(child.toString('latin1'), child);
    this.options.onCreated(child);
  }

  private removeIfGone(key: string, directory: Buffer): void {
    if (this.watchers.has(key) && directoryFacts(directory) === undefined) this.remove(key);
  }

  private remove(key: string): void {
    this.watchers.get(key)?.close();
    this.watchers.delete(key);
    this.isFull = false;
  }
}

const isNoSpace = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EMFILE');
