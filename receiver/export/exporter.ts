// SPDX-License-Identifier: Apache-2.0
/**
 * A PushMetricExporter around the stock one, for what that lacks (all measured): after an outage its
 * channel can stay in back-off for up to two minutes, so it is built anew after three failed exports;
 * with a collector that hangs every batch of an interval would wait for its own deadline, so the rest of
 * an interval fails at once; a message above the collector's limit would be refused at every interval,
 * so it is cut; and nothing says which points have arrived, which delta temporality and ended series
 * must know.
 */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  AggregationTemporality,
  type InstrumentType,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics';
import { pointsIn, splitByPoints } from './batches.js';
import type { ExportCounts } from './export-counts.js';
import { exportFailure, type ExportFailure } from './failure.js';
import { deliverAll } from './scraped-producer.js';

/** From this many intervals in a row without an answer on, each begins with a new channel. */
const REBUILD_AFTER = 3;

export interface ExporterPorts {
  /** Makes the stock exporter; called again for each new channel. */
  readonly build: () => PushMetricExporter;
  readonly counts: ExportCounts;
  readonly nowMillis: () => number;
  /** Told when the collector's state changes, not at each export. */
  readonly onChange: (change: CollectorChange) => void;
  /** The collector has these points. */
  readonly onDelivered?: (part: ResourceMetrics) => void;
}

export type CollectorChange =
  | { readonly _tag: 'Shrunk'; readonly maxPoints: number }
  | { readonly _tag: 'Failing'; readonly failure: ExportFailure }
  | { readonly _tag: 'Recovered'; readonly failedIntervals: number };

/** A message of this many points is some 60 KiB at most: who refuses it refuses everything. */
const MIN_BATCH_POINTS = 50;

/** One interval: everything between two collects. */
interface Cycle {
  readonly endMillis: number;
  hasDelivered: boolean;
  hasFailed: boolean;
  /** Nobody answered: what is left of the interval is not tried. */
  isLost: boolean;
}

const newCycle = (endMillis: number): Cycle => ({
  endMillis,
  hasDelivered: false,
  hasFailed: false,
  isLost: false,
});

const NOT_TRIED = 'not tried: the interval is over or nobody answered in it';

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

export class ResilientExporter implements PushMetricExporter {
  #inner: PushMetricExporter;
  #cycle = newCycle(Number.POSITIVE_INFINITY);
  #lostInRow = 0;
  #maxPoints = Number.POSITIVE_INFINITY;
  #failedIntervals = 0;
  /** What was said to be wrong since all was well: each is said once. */
  readonly #said = new Set<string>();

  constructor(
    private readonly ports: ExporterPorts,
    /** All batches of one interval together may take this long. */
    private readonly cycleMillis: number,
  ) {
    this.#inner = ports.build();
  }

  /**
   * Sends a message without points, which a collector must accept, before the first interval ends. If
   * nobody answers, the first export gets a channel that is not in back-off because of this one.
   */
  async greet(empty: ResourceMetrics): Promise<void> {
    const { code, error } = await this.#send(empty);
    if (code === ExportResultCode.SUCCESS) return;
    const failure = exportFailure(error);
    this.ports.counts.fail(failure.reason, 0);
    this.#complain(failure);
    if (failure.kind === 'unreachable') this.#rebuild();
  }

  /** A new interval begins; the one before is judged as a whole. */
  beginCycle(): void {
    this.#judge(this.#cycle);
    this.#cycle = newCycle(this.ports.nowMillis() + this.cycleMillis);
  }

  export(metrics: ResourceMetrics, resultCallback: (result: ExportResult) => void): void {
    this.#exportParts(this.#cycle, metrics).then(resultCallback, (error: unknown) => {
      // Not an answer of the collector but a defect on this side.
      resultCallback({ code: ExportResultCode.FAILED, error: asError(error) });
    });
  }

  /** One batch, cut smaller where the collector has said that it takes no larger messages. */
  async #exportParts(cycle: Cycle, metrics: ResourceMetrics): Promise<ExportResult> {
    const parts = [...splitByPoints(metrics, this.#maxPoints)];
    let outcome: ExportResult = { code: ExportResultCode.SUCCESS };
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const points = pointsIn(part);
      if (cycle.isLost || this.ports.nowMillis() >= cycle.endMillis) {
        cycle.hasFailed = true;
        this.ports.counts.fail('skipped', points);
        outcome = { code: ExportResultCode.FAILED, error: new Error(NOT_TRIED) };
        continue;
      }
      const result = await this.#send(part);
      if (result.code === ExportResultCode.SUCCESS) {
        cycle.hasDelivered = true;
        this.ports.counts.delivered += BigInt(points);
        deliverAll(part);
        this.ports.onDelivered?.(part);
        continue;
      }
      const failure = exportFailure(result.error);
      if (failure.isTooLarge && points > MIN_BATCH_POINTS) {
        this.#shrink(failure, points);
        parts.unshift(...splitByPoints(part, this.#maxPoints));
        continue;
      }
      cycle.hasFailed = true;
      this.#fail(cycle, failure, points);
      outcome = result;
    }
    return outcome;
  }

  #send(part: ResourceMetrics): Promise<ExportResult> {
    return new Promise((resolve) => {
      this.#inner.export(part, resolve);
    });
  }

  /** Halves the messages for good: a collector's limit does not grow while it runs. */
  #shrink(failure: ExportFailure, refusedPoints: number): void {
    this.ports.counts.fail(failure.reason, 0);
    const half = Math.max(MIN_BATCH_POINTS, Math.ceil(refusedPoints / 2));
    if (half >= this.#maxPoints) return;
    this.#maxPoints = half;
    this.ports.onChange({ _tag: 'Shrunk', maxPoints: half });
  }

  #fail(cycle: Cycle, failure: ExportFailure, points: number): void {
    this.ports.counts.fail(failure.reason, points);
    cycle.isLost ||= failure.kind === 'unreachable';
    this.#complain(failure);
  }

  #complain(failure: ExportFailure): void {
    const complaint = failure.kind === 'unreachable' ? failure.kind : failure.reason;
    if (this.#said.has(complaint)) return;
    this.#said.add(complaint);
    this.ports.onChange({ _tag: 'Failing', failure });
  }

  #judge(cycle: Cycle): void {
    this.#lostInRow = cycle.isLost ? this.#lostInRow + 1 : 0;
    if (this.#lostInRow >= REBUILD_AFTER) this.#rebuild();
    if (cycle.hasFailed) this.#failedIntervals += 1;
    else if (cycle.hasDelivered && this.#said.size > 0) {
      this.#said.clear();
      this.ports.onChange({ _tag: 'Recovered', failedIntervals: this.#failedIntervals });
      this.#failedIntervals = 0;
    }
  }

  #rebuild(): void {
    const old = this.#inner;
    this.#inner = this.ports.build();
    this.ports.counts.rebuilds += 1n;
    // It waits for its own pending calls, each of which has a deadline; nobody needs the outcome.
    old.shutdown().catch(() => undefined);
  }

  selectAggregationTemporality(instrumentType: InstrumentType): AggregationTemporality {
    return (
      this.#inner.selectAggregationTemporality?.(instrumentType) ??
      AggregationTemporality.CUMULATIVE
    );
  }

  forceFlush(): Promise<void> {
    return this.#inner.forceFlush();
  }

  async shutdown(): Promise<void> {
    this.#judge(this.#cycle);
    await this.#inner.shutdown();
  }
}
