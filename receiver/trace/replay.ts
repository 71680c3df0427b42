// SPDX-License-Identifier: Apache-2.0
/**
 * The agent's own attribution on a recorded trace: the same pipeline, without a kernel. Records go in
 * one by one; at the end there are sums and the proof that they close. Deterministic.
 */
import * as E from 'fp-ts/lib/Either.js';
import {
  createPipeline,
  type Pipeline,
  type PipelineOptions,
  type Surroundings,
} from '../agent/pipeline.js';
import type { WindowAttribution } from '../attribution/attribute.js';
import { LARGEST_AMOUNT } from '../attribution/energy-account.js';
import { Ledger } from '../attribution/ledger.js';
import { UNNAMED } from '../attribution/unnamed.js';
import type { Coefficients } from '../model/coefficients.js';
import type { ActivityWindow } from '../model/activity.js';
import { WindowDecoder, surroundingsOf } from './decode-window.js';
import { DomainSums } from './domain-sums.js';
import { EntityZones } from './entity-zones.js';
import { FreeReadings } from './free-readings.js';
import { machineOf, type TraceMachine } from './header.js';
import { LiveComparison } from './live-comparison.js';
import type { LineDefect } from './parse-line.js';
import { parsePipelineState } from './pipeline-state.js';
import type { AnyRecord, HeaderRecord, ReadingRecord, WindowRecord } from './wire.js';

/** How the pipeline is to be built: from the header's settings and the command line's. */
export type PipelineSetup = (
  machine: TraceMachine,
  header: HeaderRecord,
) => E.Either<LineDefect, PipelineOptions>;

export interface ReplayOptions {
  readonly setup: PipelineSetup;
  readonly isLenient: boolean;
  /** The trace was recorded with other settings than it is replayed with: its result will differ. */
  readonly isOverridden: boolean;
  /** False: as `setup` says. */
  readonly usesRecordedCoefficients: boolean;
}

interface Pending {
  readonly window: ActivityWindow;
  readonly record: WindowRecord;
  /** What is to happen to the pipeline first. */
  readonly before: readonly ((pipeline: Pipeline) => void)[];
}

/** Everything that the header made possible. */
interface Started {
  readonly header: HeaderRecord;
  readonly machine: TraceMachine;
  readonly options: PipelineOptions;
  readonly pipeline: Pipeline;
  readonly ledger: Ledger;
  readonly entities: EntityZones;
  readonly free: FreeReadings<Pending>;
}

/** Amounts of one window are summed as numbers. */
const MAX_WINDOW_NANOS = BigInt(LARGEST_AMOUNT);

const OK: E.Either<LineDefect, void> = E.right(undefined);
const defect = (cause: string): E.Either<LineDefect, never> => E.left({ cause });

export class Replay {
  public readonly domains = new DomainSums();
  public readonly live: LiveComparison;
  public readonly cgroupPaths = new Map<bigint, string>();
  public readonly userNames = new Map<number, string>();
  public unknownRecords = 0;
  public skippedWindows = 0;
  public windows = 0;
  public hasEnd = false;
  public firstIndex: bigint | undefined;
  public lastIndex: bigint | undefined;
  public startNanos: bigint | undefined;
  public endNanos: bigint | undefined;
  private started: Started | undefined;
  private coefficients: readonly Coefficients[] | undefined;
  private before: ((pipeline: Pipeline) => void)[] = [];
  /** Of the last window that was taken. */
  private lastEndNanos: bigint | undefined;
  /** A gap was told, or a line was lost: the next window may begin later than the last one ended. */
  private mayJump = false;
  private readonly decoder: WindowDecoder;

  public constructor(private readonly options: ReplayOptions) {
    this.decoder = new WindowDecoder(options.isLenient);
    this.live = new LiveComparison(!options.isOverridden);
  }

  /** Undefined until the header was read. */
  public get state(): Started | undefined {
    return this.started;
  }

  public take(record: AnyRecord): E.Either<LineDefect, void> {
    if (this.started === undefined)
      return record.type === 'header' ? this.start(record) : defect('the trace has no header');
    if (this.hasEnd) return defect('behind the end of the trace');
    switch (record.type) {
      case 'header':
        return defect('a second header');
      case 'state':
        return this.takeState(record.pipeline);
      case 'window':
        return this.takeWindow(record, this.started);
      case 'reading':
        return this.takeReading(record, this.started);
      case 'gap':
        this.skippedWindows += record.windows;
        this.skip();
        return OK;
      case 'end':
        this.hasEnd = true;
        return OK;
      case 'unknown':
        this.unknownRecords += 1;
        return OK;
    }
  }

  /** A line was lost: what it said of counters and time is missing. */
  public lose(): void {
    this.skip();
  }

  public finish(): void {
    if (this.started !== undefined) this.advance(this.started, true);
  }

  private skip(): void {
    this.mayJump = true;
    this.before.push((pipeline) => pipeline.skip());
  }

  private start(header: HeaderRecord): E.Either<LineDefect, void> {
    const machine = machineOf(header);
    if (E.isLeft(machine)) return machine;
    const options = this.options.setup(machine.right, header);
    if (E.isLeft(options)) return options;
    const free = header.zones.filter(({ sampling }) => sampling === 'free').map(({ id }) => id);
    this.started = {
      header,
      machine: machine.right,
      options: options.right,
      pipeline: createPipeline(options.right),
      ledger: new Ledger(
        { startUnixMillis: Number(BigInt(header.clock.unixNanos) / 1_000_000n) },
        {
          ...UNNAMED,
          userName: (uid) => this.userNames.get(uid) ?? String(uid),
          cgroupPath: (id) => this.cgroupPaths.get(id) ?? `(${String(id)})`,
        },
      ),
      entities: new EntityZones(machine.right.topology),
      free: new FreeReadings<Pending>(machine.right.plan, new Set(free)),
    };
    return OK;
  }

  private takeState(json: unknown): E.Either<LineDefect, void> {
    const state = parsePipelineState(json);
    if (E.isLeft(state)) return state;
    const { counters, floors, fits } = state.right;
    // Coefficients that were given are not replaced by learnt ones.
    const takesFits = this.options.usesRecordedCoefficients && fits !== undefined;
    this.before.push((pipeline) =>
      pipeline.restore({ counters, floors, ...(takesFits ? { fits } : {}) }),
    );
    return OK;
  }

  private takeWindow(record: WindowRecord, started: Started): E.Either<LineDefect, void> {
    const window = this.decoder.decode(record);
    if (E.isLeft(window)) return window;
    const misplaced = this.misplaced(window.right);
    if (misplaced !== undefined) return defect(misplaced);
    this.lastEndNanos = window.right.endNanos;
    this.mayJump = false;
    for (const { id, path } of record.cgroups) this.cgroupPaths.set(BigInt(id), path);
    for (const { uid, name } of record.users) this.userNames.set(uid, name);
    started.free.push({ window: window.right, record, before: this.before });
    this.before = [];
    this.advance(started, false);
    return OK;
  }

  /** A window that is there twice, too early or too late would be charged with another one's energy. */
  private misplaced({ startNanos, endNanos }: ActivityWindow): string | undefined {
    if (endNanos <= startNanos) return 'endNanos: the window has no length';
    if (endNanos - startNanos > MAX_WINDOW_NANOS) return 'endNanos: longer than 52 days';
    if (this.lastEndNanos === undefined || startNanos === this.lastEndNanos) return undefined;
    if (startNanos < this.lastEndNanos) return 'startNanos: before the last window ended';
    return this.mayJump
      ? undefined
      : 'startNanos: windows are missing before it, and no gap says so';
  }

  private takeReading(record: ReadingRecord, started: Started): E.Either<LineDefect, void> {
    const value = { atNanos: BigInt(record.atNanos), value: BigInt(record.value) };
    if (!started.free.add(record.zone, value))
      return defect(`zone: ${record.zone} is not a free zone of the header, or its time went back`);
    this.advance(started, false);
    return OK;
  }

  private advance(started: Started, isEnd: boolean): void {
    for (const { window, record, before } of started.free.ready(isEnd)) {
      for (const change of before) change(started.pipeline);
      const { report, attribution } = started.pipeline.advance(
        window,
        started.ledger,
        this.surroundings(record),
      );
      this.domains.book(window.index, report.readings, attribution);
      started.entities.book(window, attribution.shares);
      this.live.compare(window, record, attribution);
      this.count(window);
      this.onWindow?.(window, attribution);
    }
  }

  /** For those who want each window. */
  public onWindow: ((window: ActivityWindow, attribution: WindowAttribution) => void) | undefined;

  private surroundings(record: WindowRecord): Surroundings {
    if (this.options.usesRecordedCoefficients)
      this.coefficients = record.coefficients ?? this.coefficients;
    return { ...surroundingsOf(record), coefficients: this.coefficients };
  }

  private count({ index, startNanos, endNanos }: ActivityWindow): void {
    this.windows += 1;
    this.firstIndex ??= index;
    this.lastIndex = index;
    this.startNanos ??= startNanos;
    this.endNanos = endNanos;
  }
}
