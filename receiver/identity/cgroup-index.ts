// SPDX-License-Identifier: Apache-2.0
/**
 * cgroup id -> path. A new cgroup is found at once through /proc/PID/cgroup of the process that was
 * charged; only if that process is gone already the hierarchy is walked, in pieces. A path once known
 * stays known after the cgroup is removed, because its energy does. v1 can rename a cgroup: there the
 * hierarchy is walked every 30 s in any case.
 */
import type { Clock } from '../host/clock.js';
import { escapeBytes } from '../model/escape.js';
import { millisToNanos } from '../model/units.js';
import {
  cgroupPathIn,
  directoryFacts,
  foreignPathIn,
  joinPath,
  LINKS_OF_LEAF,
  readProcessCgroup,
  subdirectories,
} from './cgroup-files.js';
import type { CgroupIdentity } from '../model/workload.js';
import { resolveCgroup } from './resolve-cgroup.js';
import { cgroupNode, walkCgroups, type CgroupNode } from './cgroup-walk.js';

export interface CgroupIndexOptions {
  /** Root of the hierarchy whose ids the kernel side reports. */
  readonly directory: string;
  /** Its name in /proc/PID/cgroup: a v1 controller or `unified`. */
  readonly hierarchy: string;
  readonly procfs: string;
  readonly clock: Clock;
  /** Told of each directory that was found, so that it hears of new ones below. */
  readonly onFound?: (directory: Buffer, isLeaf: boolean) => void;
  /** Paths kept, and directories visited by one walk. */
  readonly maxEntries?: number;
}

const DEFAULT_MAX_ENTRIES = 20_000;
const WALK_EVERY_NANOS = millisToNanos(1_000);
const FULL_WALK_EVERY_NANOS = millisToNanos(30_000);
/** Directories between two looks at the clock: about 0.1 ms. */
const STEPS_PER_CHECK = 16;

interface Walk {
  readonly isFull: boolean;
  readonly steps: Generator<undefined, void>;
  /** Ids that were missing when the walk began. */
  readonly wanted: readonly bigint[];
}

type Miss = 'new' | 'walked';

const GONE: CgroupIdentity = { ...resolveCgroup('(deleted)'), rule: 'deleted' };

export class CgroupIndex {
  private readonly maxEntries: number;
  private readonly rootPath: Buffer;
  private readonly root: CgroupNode;
  /** Least recently found first. */
  private readonly paths = new Map<bigint, string>();
  private readonly directories = new Map<bigint, Buffer>();
  /** As /proc says it, of cgroups outside our cgroup namespace: used where no walk can find them. */
  private readonly foreignPaths = new Map<bigint, string>();
  /** What those that were asked for stand for. */
  private readonly identities = new Map<bigint, CgroupIdentity>();
  private readonly misses = new Map<bigint, Miss>();
  /** Not found by a full walk that began after they were asked for. */
  private readonly gone = new Set<bigint>();
  private walk: Walk | undefined;
  private walkBeganNanos: bigint | undefined;
  private fullWalkBeganNanos: bigint | undefined;

  public constructor(private readonly options: CgroupIndexOptions) {
    this.maxEntries = options.maxEntries ?? DEFAULT_MAX_ENTRIES;
    this.rootPath = Buffer.from(options.directory.replace(/\/+$/, ''));
    this.root = cgroupNode(this.rootPath);
  }

  /** Escaped path below the hierarchy's root, `/` for the root; `(deleted:ID)` if it is not known. */
  public pathOf(id: bigint): string {
    const known = this.pathIfKnown(id);
    if (known !== undefined) return known;
    this.miss(id);
    return `(deleted:${String(id)})`;
  }

  /**
   * What it stands for, the same object until its path changes. Undefined while the path is not known;
   * a cgroup that was gone before anybody could look is just a cgroup.
   */
  public identityOf(id: bigint): CgroupIdentity | undefined {
    const known = this.identities.get(id);
    if (known !== undefined) return known;
    const path = this.pathIfKnown(id);
    if (path === undefined) return this.gone.has(id) ? GONE : undefined;
    const identity = resolveCgroup(path);
    this.identities.set(id, identity);
    return identity;
  }

  /** False only where its directory was removed, or renamed: a walk finds it under the new name. */
  public isThere(id: bigint): boolean {
    const directory = this.directories.get(id);
    if (directory !== undefined) return directoryFacts(directory)?.id === id;
    return !this.gone.has(id) || this.foreignPaths.has(id);
  }

  /** The process `pid` was just charged in this cgroup. Reads /proc only if the id is new. */
  public notice(id: bigint, pid: number | undefined): void {
    if (this.paths.has(id) || this.gone.has(id)) return;
    if (pid === undefined || !this.findByProcess(id, pid)) this.miss(id);
  }

  /**
   * Looks for what is missing, for about `budgetMillis`; to be called once per window. Walks begin at
   * most once a second, full ones at most every 30 s, and on v2 none but the first while nothing is missing.
   */
  public refresh(budgetMillis: number): void {
    this.walk ??= this.beginWalk();
    if (this.walk === undefined) return;
    const { clock } = this.options;
    const deadline = clock.monotonicNanos() + millisToNanos(budgetMillis);
    do {
      for (let step = 0; step < STEPS_PER_CHECK; step += 1) {
        if (this.walk.steps.next().done === true) {
          this.finishWalk(this.walk);
          this.walk = undefined;
          return;
        }
      }
    } while (clock.monotonicNanos() < deadline);
  }

  private pathIfKnown(id: bigint): string | undefined {
    const known = this.paths.get(id);
    return known ?? (this.gone.has(id) ? this.foreignPaths.get(id) : undefined);
  }

  /** A directory was made just now: it and what is below it already. */
  public created(directory: Buffer): void {
    const facts = directoryFacts(directory);
    if (facts === undefined) return;
    const isLeaf = facts.links === LINKS_OF_LEAF;
    this.found(facts.id, directory, isLeaf);
    if (isLeaf) return;
    for (const name of subdirectories(directory)) this.created(joinPath(directory, name));
  }

  private findByProcess(id: bigint, pid: number): boolean {
    const file = readProcessCgroup(this.options.procfs, pid);
    if (file === undefined) return false;
    const path = cgroupPathIn(file, this.options.hierarchy);
    if (path === undefined) {
      const foreign = foreignPathIn(file, this.options.hierarchy);
      if (foreign !== undefined && this.foreignPaths.size < this.maxEntries)
        this.foreignPaths.set(id, escapeBytes(foreign));
      return false;
    }
    const directory = Buffer.concat([this.rootPath, path]);
    // It may have moved since: only the directory's own id says that this is the one.
    const facts = directoryFacts(directory);
    if (facts?.id !== id) return false;
    this.found(id, directory, facts.links === LINKS_OF_LEAF);
    return true;
  }

  private found(id: bigint, directory: Buffer, isLeaf: boolean): void {
    const below = escapeBytes(directory, this.rootPath.length);
    const path = below === '' ? '/' : below;
    if (this.paths.get(id) !== path) this.identities.delete(id);
    this.paths.delete(id);
    this.paths.set(id, path);
    this.directories.set(id, directory);
    this.options.onFound?.(directory, isLeaf);
    this.misses.delete(id);
    this.gone.delete(id);
    if (this.paths.size <= this.maxEntries) return;
    const oldest = this.paths.keys().next().value;
    if (oldest === undefined) return;
    this.paths.delete(oldest);
    this.directories.delete(oldest);
    this.identities.delete(oldest);
  }

  private miss(id: bigint): void {
    if (this.gone.has(id) || this.misses.has(id) || this.misses.size >= this.maxEntries) return;
    this.misses.set(id, 'new');
  }

  private beginWalk(): Walk | undefined {
    const isIdle = this.misses.size === 0 && this.options.hierarchy === 'unified';
    // The first walk comes in any case: it knows all names before they are needed.
    if (isIdle && this.fullWalkBeganNanos !== undefined) return undefined;
    const now = this.options.clock.monotonicNanos();
    const isPast = (began: bigint | undefined, every: bigint): boolean =>
      began === undefined || now - began >= every;
    const isFull = isPast(this.fullWalkBeganNanos, FULL_WALK_EVERY_NANOS);
    const hasNew = [...this.misses.values()].includes('new');
    if (!isFull && (!hasNew || !isPast(this.walkBeganNanos, WALK_EVERY_NANOS))) return undefined;
    this.walkBeganNanos = now;
    if (isFull) this.fullWalkBeganNanos = now;
    const wanted = [...this.misses.keys()];
    const steps = walkCgroups(this.root, isFull, this.maxEntries, ({ id, links }, path) => {
      this.found(id, path, links === LINKS_OF_LEAF);
    });
    return { isFull, steps, wanted };
  }

  private finishWalk({ isFull, wanted }: Walk): void {
    for (const id of wanted) {
      if (!this.misses.has(id)) continue;
      if (!isFull) {
        this.misses.set(id, 'walked');
        continue;
      }
      this.misses.delete(id);
      this.gone.add(id);
    }
    // Forgetting some only means that a walk may look for them once more.
    if (this.gone.size > this.maxEntries) this.gone.clear();
  }
}
