// SPDX-License-Identifier: Apache-2.0
/** The agent's watch over spinning threads, on the real kernel: sampler, /proc, decoder and log. */
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { openSpinSampler } from '../../native/index.js';
import { joulesOf } from '../model/units.js';
import type { SpinCandidate } from '../spin/candidates.js';
import { timespecTable } from '../spin/decode.js';
import { relabelPolling } from '../spin/pollers.js';
import type { SpinSampler } from '../spin/port.js';
import { lookUntilEnough } from '../spin/look.js';
import { LOOK_SECONDS, sampleHertz } from '../spin/sampling-rate.js';
import { SpinWatch, type PricedExamination, type SpinChange } from '../spin/watch.js';
import type { Logger } from './logger.js';
import { SpinDecider } from './spin-decider.js';

export interface SpinWatchOptions {
  readonly pollers: readonly string[];
  readonly maxExamined: number;
  readonly cpuRatio: number;
  readonly procfsRoot: string;
  readonly logger: Logger;
}

const MILLIS_PER_SECOND = 1000;

const changeSayer =
  (logger: Logger) =>
  ({ isActive, candidate, kind, confidence, evidence, wastedMicrojoules }: SpinChange): void => {
    const { tid, tgid: pid } = candidate;
    const wastedJoules = joulesOf(wastedMicrojoules);
    if (isActive && kind === 'polling')
      logger.info('thread polls by design', { pid, tid, confidence, evidence });
    else if (isActive) logger.warn('thread spins', { pid, tid, kind, confidence, evidence });
    else logger.info('thread no longer spins', { pid, tid, kind, wastedJoules });
  };

/** Loaded while somebody is examined: no program and no map stays without candidates. */
class SharedSampler {
  #sampler: SpinSampler | undefined;
  #hasComplained = false;
  readonly #used = new Set<number>();

  constructor(
    private readonly maxExamined: number,
    private readonly logger: Logger,
  ) {}

  /** Undefined: it cannot be loaded (said once), or all its records are in use. */
  begin(tid: number, runRatio: number): number | undefined {
    const number = Array.from({ length: this.maxExamined }, (_, at) => at).find(
      (at) => !this.#used.has(at),
    );
    const sampler = this.#opened();
    if (number === undefined || sampler === undefined) return undefined;
    if (E.isLeft(sampler.begin(number, tid, sampleHertz(runRatio, LOOK_SECONDS)))) {
      this.#unloadIfIdle();
      return undefined;
    }
    this.#used.add(number);
    return number;
  }

  sampleCount(number: number): number {
    const count = this.#sampler?.sampleCount(number);
    return count !== undefined && E.isRight(count) ? count.right : 0;
  }

  end(number: number): Uint8Array | undefined {
    const bytes = this.#sampler?.end(number);
    this.#used.delete(number);
    this.#unloadIfIdle();
    return bytes !== undefined && E.isRight(bytes) ? bytes.right : undefined;
  }

  #opened(): SpinSampler | undefined {
    if (this.#sampler !== undefined) return this.#sampler;
    const opened = openSpinSampler(timespecTable(), this.maxExamined);
    if (E.isRight(opened)) return (this.#sampler = opened.right);
    const { operation, code } = opened.left;
    if (!this.#hasComplained)
      this.logger.warn('spinning threads cannot be examined', { operation, code });
    this.#hasComplained = true;
    return undefined;
  }

  #unloadIfIdle(): void {
    if (this.#used.size > 0) return;
    this.#sampler?.close();
    this.#sampler = undefined;
  }
}

/** For who wonders why a thread is, or is not, said to spin. */
const sayVerdict = (
  logger: Logger,
  { tid, tgid: pid }: SpinCandidate,
  { verdict, costMillis }: Pick<PricedExamination, 'verdict' | 'costMillis'>,
): void => {
  const { _tag, evidence } = verdict;
  const millis = Math.round(costMillis);
  const kind = _tag === 'Spinning' ? verdict.kind : 'none';
  const said = { verdict: _tag.toLowerCase(), kind, evidence, millis };
  logger.debug('thread examined', { pid, tid, ...said });
};

const onceEach = (logger: Logger): ((cause: string) => void) => {
  const said = new Set<string>();
  return (cause) => {
    if (said.has(cause)) return;
    said.add(cause);
    logger.error('deciding whether a thread spins broke off', { cause });
  };
};

export const createSpinWatch = ({
  pollers,
  maxExamined,
  cpuRatio,
  procfsRoot,
  logger,
}: SpinWatchOptions): SpinWatch => {
  const relabel = relabelPolling(pollers);
  const sampler = new SharedSampler(maxExamined, logger);
  const decider = new SpinDecider({ onFailure: onceEach(logger) });
  const examineThread = async (
    candidate: SpinCandidate,
  ): Promise<PricedExamination | undefined> => {
    const { tid, tgid, processName, threadName, runRatio } = candidate;
    const number = sampler.begin(tid, runRatio);
    if (number === undefined) return undefined;
    await lookUntilEnough({
      sampleCount: () => sampler.sampleCount(number),
      // Nobody waits for this timer when the agent ends.
      wait: async (seconds) => wait(seconds * MILLIS_PER_SECOND, undefined, { ref: false }),
    });
    const bytes = sampler.end(number);
    const decision = bytes && (await decider.decide({ bytes, tid, tgid, procfsRoot }));
    if (decision === undefined) return undefined;
    const { examination, costMillis } = decision;
    const { hottestPlace } = examination;
    const verdict = relabel(examination.verdict, { processName, threadName, hottestPlace });
    sayVerdict(logger, candidate, { verdict, costMillis });
    return { ...examination, verdict, costMillis };
  };
  return new SpinWatch(
    {
      nowMillis: () => performance.now(),
      onChange: changeSayer(logger),
      examine: async (candidate) => {
        try {
          return await examineThread(candidate);
        } catch (error) {
          logger.error('thread cannot be examined', { tid: candidate.tid, error: String(error) });
          return undefined;
        }
      },
    },
    { maxExamined, cpuRatio },
  );
};
