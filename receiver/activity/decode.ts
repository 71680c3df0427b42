// SPDX-License-Identifier: Apache-2.0
/**
 * Bytes of one batch + generated layout -> windows. Pure; a batch of the wrong length is an error
 * value. 10,000 rows take a few milliseconds: differences are read as u32 halves, only clocks and ids
 * become bigints, names come from a cache.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivityWindow, RawReading } from '../model/activity.js';
import { nanos, windowNanos } from '../model/units.js';
import { CommCache } from './comm-cache.js';
import { decodeCpu, decodeOverflow, decodeReading, rows } from './decode-rows.js';
import type { RecordsLayout } from './layout.js';
import { RowPool, taskFiller, type TaskRow } from './task-row.js';
import { Words } from './words.js';

export type DecodeError =
  /** The batch ends inside a window, or a header does not describe its own window. */
  | {
      readonly _tag: 'WrongLength';
      readonly atBytes: number;
      readonly expectedBytes: number;
      readonly foundBytes: number;
    }
  /** A difference of one window is beyond 2^53. */
  | { readonly _tag: 'Oversized'; readonly windowIndex: bigint }
  | {
      readonly _tag: 'UnknownSourceKind';
      readonly windowIndex: bigint;
      readonly kind: number;
    };

/** One window at a time, decoded when it is asked for; a Left is the last. */
export type ReadWindows = (batch: Uint8Array) => Iterable<E.Either<DecodeError, ActivityWindow>>;
export type DecodeBatch = (batch: Uint8Array) => E.Either<DecodeError, readonly ActivityWindow[]>;

const WORD_BYTES = 8;

/** Where a window's parts lie in its batch. */
interface Extent {
  readonly at: number;
  readonly cpusAt: number;
  readonly sourcesAt: number;
  readonly overflowAt: number;
  readonly tasksAt: number;
  readonly endAt: number;
}

const extentOf = (words: Words, layout: RecordsLayout, at: number): Extent => {
  const { windowHeader, windowCpu, windowSource, windowOverflow, windowTask } = layout;
  const count = (member: 'cpuCount' | 'sourceCount' | 'overflowCount' | 'taskCount'): number =>
    words.u32(at + windowHeader.offset[member]);
  const cpusAt = at + windowHeader.sizeBytes;
  const sourcesAt = cpusAt + count('cpuCount') * windowCpu.sizeBytes;
  const overflowAt = sourcesAt + count('sourceCount') * windowSource.sizeBytes;
  const tasksAt = overflowAt + count('overflowCount') * windowOverflow.sizeBytes;
  const endAt = tasksAt + count('taskCount') * windowTask.sizeBytes;
  return { at, cpusAt, sourcesAt, overflowAt, tasksAt, endAt };
};

/** Everything of a window but its rows. */
const decodeHeader = (words: Words, layout: RecordsLayout, at: number) => {
  const { windowHeader, windowFlag } = layout;
  const { offset } = windowHeader;
  const flags = words.u32(at + offset.flags);
  const clock = (member: keyof typeof offset): bigint => words.u64(at + offset[member]);
  const between = (from: bigint, to: bigint) => windowNanos(Math.max(0, Number(to - from)));
  const flushEnd = clock('flushEndNs');
  const energyEnd = clock('energyEndNs');
  return {
    index: clock('index'),
    startNanos: nanos(clock('startNs')),
    endNanos: nanos(flushEnd),
    dueNanos: nanos(clock('dueNs')),
    flushNanos: between(clock('flushStartNs'), flushEnd),
    energyReadNanos: between(flushEnd, energyEnd),
    scanNanos: between(energyEnd, clock('scanEndNs')),
    threadCpuNanos: words.duration(at + offset.threadCpuNs),
    boottimeOffsetNanos: nanos(clock('boottimeOffsetNs')),
    realtimeNanos: nanos(clock('realtimeNs')),
    slotsUsed: words.u32(at + offset.slotsUsed),
    slotsLimit: words.u32(at + offset.slotsLimit),
    flushedCpus: words.u32(at + offset.flushedCpus),
    isFinal: (flags & windowFlag.final) !== 0,
    isReseeded: (flags & windowFlag.reseeded) !== 0,
    isForced: (flags & windowFlag.forced) !== 0,
  };
};

const checkLength = (
  words: Words,
  layout: RecordsLayout,
  at: number,
): E.Either<DecodeError, Extent> => {
  const available = words.bytes.length - at;
  const wrong = (expectedBytes: number, foundBytes: number): E.Either<DecodeError, Extent> =>
    E.left({ _tag: 'WrongLength', atBytes: at, expectedBytes, foundBytes });
  if (available < layout.windowHeader.sizeBytes) {
    return wrong(layout.windowHeader.sizeBytes, available);
  }
  const extent = extentOf(words, layout, at);
  const needed = extent.endAt - at;
  const stated = words.u64(at + layout.windowHeader.offset.sizeBytes);
  if (stated !== BigInt(needed)) return wrong(needed, Number(stated));
  return needed > available ? wrong(needed, available) : E.right(extent);
};

export interface ReaderOptions {
  /**
   * A window's `tasks` are written over by the next window: whoever keeps one of them longer keeps a copy.
   * Default: each window has rows of its own.
   */
  readonly reusesRows?: boolean;
}

/**
 * A reader for one layout. Keep it: its name cache is what makes it fast. Whoever drops each window
 * before taking the next holds the rows of one window as objects, not those of a batch.
 */
export const windowReader = (
  layout: RecordsLayout,
  { reusesRows = false }: ReaderOptions = {},
): ReadWindows => {
  const fill = taskFiller(layout, new CommCache());
  const pool = new RowPool(reusesRows);

  const decodeTasks = (words: Words, { tasksAt, endAt }: Extent): readonly TaskRow[] => {
    const { sizeBytes } = layout.windowTask;
    const tasks = pool.take((endAt - tasksAt) / sizeBytes);
    for (let at = tasksAt, row = 0; at < endAt; at += sizeBytes, row++) {
      const task = tasks[row];
      if (task !== undefined) fill(task, words, at);
    }
    return tasks;
  };

  const decodeWindow = (words: Words, extent: Extent): E.Either<DecodeError, ActivityWindow> => {
    const header = decodeHeader(words, layout, extent.at);
    const { windowCpu, windowSource, windowOverflow } = layout;
    const readings: RawReading[] = [];
    for (let at = extent.sourcesAt; at < extent.overflowAt; at += windowSource.sizeBytes) {
      const reading = decodeReading(words, layout, at);
      if (reading._tag === 'UnknownKind') {
        const { kind } = reading;
        return E.left({ _tag: 'UnknownSourceKind', windowIndex: header.index, kind });
      }
      readings.push(reading);
    }
    const window: ActivityWindow = {
      ...header,
      cpus: rows(extent.cpusAt, extent.sourcesAt, windowCpu.sizeBytes, (at) =>
        decodeCpu(words, layout, at),
      ),
      readings,
      overflow: rows(extent.overflowAt, extent.tasksAt, windowOverflow.sizeBytes, (at) =>
        decodeOverflow(words, layout, at),
      ),
      tasks: decodeTasks(words, extent),
    };
    return words.hasOversized
      ? E.left({ _tag: 'Oversized', windowIndex: header.index })
      : E.right(window);
  };

  return function* readWindows(batch) {
    if (batch.length % WORD_BYTES !== 0) {
      const expectedBytes = batch.length - (batch.length % WORD_BYTES);
      const foundBytes = batch.length;
      yield E.left({ _tag: 'WrongLength', atBytes: 0, expectedBytes, foundBytes });
      return;
    }
    const words = Words.over(batch);
    for (let at = 0; at < batch.length;) {
      const extent = checkLength(words, layout, at);
      if (E.isLeft(extent)) {
        yield extent;
        return;
      }
      const window = decodeWindow(words, extent.right);
      yield window;
      if (E.isLeft(window)) return;
      at = extent.right.endAt;
    }
  };
};

/** All windows of a batch at once, or what is wrong with the first that is broken. */
export const batchDecoder = (layout: RecordsLayout): DecodeBatch => {
  const read = windowReader(layout);
  return (batch) => {
    const windows: ActivityWindow[] = [];
    for (const window of read(batch)) {
      if (E.isLeft(window)) return window;
      windows.push(window.right);
    }
    return E.right(windows);
  };
};
