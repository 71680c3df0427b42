// SPDX-License-Identifier: Apache-2.0
/**
 * The one measurer: a session of the kernel side, the pipeline behind it and the ledger it fills.
 * Windows arrive in batches while nobody watches and one by one while somebody does.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { ActivitySession } from '../activity/port.js';
import type { ReadWindows } from '../activity/decode.js';
import type { Ledger } from '../attribution/ledger.js';
import type { SelfTotals } from '../export/self-totals.js';
import type { Clock } from '../host/clock.js';
import type { AgentReport } from '../model/agent-report.js';
import type { ActivityWindow } from '../model/activity.js';
import type { ExplainTarget, Explanation } from '../model/explanation.js';
import type { WindowReport } from '../model/window.js';
import type { CoreScaling } from './core-scaling.js';
import type { CoefficientsKeeper } from './coefficients-keeper.js';
import type { Explainer } from './explainer.js';
import type { Losses } from './losses.js';
import type { LivePredictions } from './live-predictions.js';
import type { Logger } from './logger.js';
import type { Pipeline, PipelineResult, Surroundings } from './pipeline.js';
import type { PowerFeed } from './power-feed.js';
import type { SpinWatch } from '../spin/watch.js';
import type { SlotUse } from './slot-watch.js';
import type { TraceNames } from '../trace/encode-window.js';
import type { TraceSink } from '../model/trace-sink.js';
import type { HeaderRecord } from '../trace/wire.js';
import { TraceTap } from './trace-tap.js';

export interface MeasurementParts {
  readonly session: ActivitySession;
  readonly read: ReadWindows;
  readonly pipeline: Pipeline;
  readonly explainer: Explainer;
  /** What is known beside the window: where memory lies, what is reserved. */
  readonly surroundings: (window: ActivityWindow) => Surroundings;
  readonly keeper: Pick<CoefficientsKeeper, 'changed' | 'close'>;
  readonly coreScaling: Pick<CoreScaling, 'isInUse' | 'after'>;
  readonly predictions: Pick<LivePredictions, 'after'>;
  readonly ledger: Ledger;
  readonly self: SelfTotals;
  readonly losses: Losses;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly buildReport: (report: WindowReport) => AgentReport;
  /** Ends processes whose end was not seen; called now and then and after a lost batch. */
  readonly sweep: (isEveryEntry: boolean) => void;
  /** Looks for names that are missing; called once per window. */
  readonly refreshNames: () => void;
  /** Warns when the slots run low; called with each window. */
  readonly watchSlots: (use: SlotUse) => void;
  /** What each window says to the scheduler; undefined: no power feed. */
  readonly powerFeed: PowerFeed | undefined;
  /** First record of a recording that begins now, and the names in it. */
  readonly traceHeader: () => HeaderRecord;
  readonly names: TraceNames;
  /** Looks for threads that spin; undefined: nobody does. */
  readonly spin?: Pick<SpinWatch, 'observe' | 'isSpinning'> | undefined;
  /** Windows handed over at once while nobody watches. */
  readonly batchWindows: number;
}

type ReportListener = (report: AgentReport) => void;

/** How long after somebody asked for the last window the next asker finds it fresh. */
const ATTENTION_NANOS = 5_000_000_000n;
/** Counters are read for the first time in it: it says how much of nothing, for a few milliseconds. */
const BASELINE_WINDOW = 1n;
/** Windows between two sweeps and two checks that the ledger closes. */
const SWEEP_WINDOWS = 30;

/**
 * Detaches a batch: its megabytes go now, not at the next collection of the old generation, into which
 * it has grown while it was decoded. At 10,000 active tasks four of them lay around (20 MiB).
 */
const free = ({ buffer }: Uint8Array): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
};

export class Measurement {
  readonly #parts: MeasurementParts;
  readonly #listeners = new Set<ReportListener>();
  #waiting: ((report: AgentReport | undefined) => void)[] = [];
  #latest: AgentReport | undefined;
  #attentionUntilNanos = 0n;
  #windowsSinceSweep = 0;
  #isClosed = false;

  readonly #tap: TraceTap;

  constructor(parts: MeasurementParts) {
    this.#parts = parts;
    this.#tap = new TraceTap({
      header: parts.traceHeader,
      pipeline: parts.pipeline,
      names: parts.names,
      onChange: () => this.#setWake(),
    });
  }

  /** Called by the session with one or more windows. Never throws: the loop must go on. */
  readonly onBatch = (batch: Uint8Array): void => {
    let last: WindowReport | undefined;
    for (const window of this.#parts.read(batch)) {
      if (E.isLeft(window)) {
        this.#lose(window.left._tag);
        break;
      }
      const result = this.#advance(window.right);
      const { report } = result;
      // Before anybody sees it: a cgroup first charged in this window has no name yet.
      this.#parts.refreshNames();
      this.#tap.offer(window.right, result);
      if (report.index === BASELINE_WINDOW) continue;
      last = report;
      if (this.#listeners.size > 0) this.#tell(report);
    }
    free(batch);
    if (last !== undefined && this.#waiting.length > 0) this.#answer(last);
    this.#setWake();
  };

  /** The last finished window, at most one window old; undefined only if none will come. */
  readonly last = async (): Promise<AgentReport | undefined> => {
    const now = this.#parts.clock.monotonicNanos();
    const isFresh = this.#listeners.size > 0 || now < this.#attentionUntilNanos;
    this.#attentionUntilNanos = now + ATTENTION_NANOS;
    if (isFresh && this.#latest !== undefined) return this.#latest;
    if (this.#isClosed) return this.#latest;
    this.#setWake();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  };

  /** See Explainer.ask; windows come one by one while somebody waits. */
  readonly explain = async (target: ExplainTarget): Promise<Explanation | undefined> => {
    if (this.#isClosed) return undefined;
    const answer = this.#parts.explainer.ask(target);
    this.#setWake();
    return answer;
  };

  /** The windows themselves, from the next one on: see TraceTap.attach. */
  readonly record = (sink: TraceSink): (() => void) | undefined => this.#tap.attach(sink);

  readonly latest = (): AgentReport | undefined => this.#latest;

  readonly subscribe = (listener: ReportListener): (() => void) => {
    this.#listeners.add(listener);
    this.#setWake();
    return () => {
      this.#listeners.delete(listener);
      this.#setWake();
    };
  };

  /** Detaches, books the last window. Twice is fine. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { session, logger } = this.#parts;
    this.#parts.powerFeed?.close();
    const closed = await session.close()();
    if (E.isLeft(closed))
      logger.error('kernel side did not close', {
        operation: closed.left.operation,
        code: closed.left.code,
      });
    this.#verify();
    this.#parts.explainer.close();
    this.#parts.keeper.close();
    for (const resolve of this.#waiting) resolve(this.#latest);
    this.#waiting = [];
  }

  /** A defect of ours: the joules of these windows stay with the counters' next delta. */
  #lose(reason: string): void {
    const { logger, losses, sweep } = this.#parts;
    losses.add('undecodableBatches');
    logger.error('window batch cannot be decoded', { reason });
    sweep(true);
  }

  #advance(window: ActivityWindow): PipelineResult {
    const { pipeline, ledger, self, logger, explainer, spin } = this.#parts;
    const begin = performance.now();
    const { coreScaling, predictions } = this.#parts;
    const surroundings = {
      ...this.#parts.surroundings(window),
      hasCoreScales: coreScaling.isInUse,
    };
    const result = pipeline.advance(window, ledger, surroundings);
    coreScaling.after(result.input);
    const { report, attribution, input, hasNewCoefficients } = result;
    if (hasNewCoefficients) this.#parts.keeper.changed();
    const attributionNanos = (performance.now() - begin) * 1e6;
    self.book(report, {
      flush: window.flushNanos,
      energy: window.energyReadNanos,
      scan: window.scanNanos,
      attribution: attributionNanos,
    });
    if (explainer.isAsked && report.index !== BASELINE_WINDOW)
      explainer.answer({ input, report, calibration: pipeline.calibration() });
    for (const { domainId, detail } of attribution.inconsistencies)
      logger.error('attribution does not close', { domain: domainId, detail });
    // A baseline window's counters have no delta yet, the last one is behind the detach.
    if (report.index !== BASELINE_WINDOW && !window.isFinal) {
      const coefficients = pipeline.coefficients();
      this.#parts.powerFeed?.publish(
        window,
        report,
        attribution,
        coefficients,
        spin && ((task) => spin.isSpinning(task)),
      );
      predictions.after(input, attribution, coefficients);
    }
    this.#parts.watchSlots(report);
    spin?.observe(window, attribution.shares);
    this.#windowsSinceSweep += 1;
    if (this.#windowsSinceSweep >= SWEEP_WINDOWS) {
      this.#windowsSinceSweep = 0;
      this.#parts.sweep(false);
      this.#verify();
    }
    return result;
  }

  #verify(): void {
    const { ledger, losses, logger } = this.#parts;
    for (const defect of ledger.verify()) {
      losses.add('ledgerDefects');
      logger.error('ledger does not close', { defect });
    }
  }

  #tell(report: WindowReport): void {
    this.#latest = this.#parts.buildReport(report);
    for (const listener of this.#listeners) listener(this.#latest);
  }

  #answer(report: WindowReport): void {
    if (this.#latest?.window.index !== String(report.index))
      this.#latest = this.#parts.buildReport(report);
    for (const resolve of this.#waiting) resolve(this.#latest);
    this.#waiting = [];
  }

  #setWake(): void {
    if (this.#isClosed) return;
    const isWatched =
      this.#parts.powerFeed !== undefined ||
      this.#listeners.size > 0 ||
      this.#waiting.length > 0 ||
      this.#parts.explainer.isAsked ||
      this.#tap.isActive ||
      this.#parts.clock.monotonicNanos() < this.#attentionUntilNanos;
    this.#parts.session.setWakeEvery(isWatched ? 1 : this.#parts.batchWindows);
  }
}
