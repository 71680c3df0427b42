// SPDX-License-Identifier: Apache-2.0
/**
 * Decides on samples in a thread of its own: reading and decoding a program takes up to 0.2 s, and the
 * windows must go on meanwhile. The thread is there while threads are examined, with little memory; if
 * it dies or hangs, what was asked is unknown, and the next question gets a new one.
 */
import { Worker } from 'node:worker_threads';
import type { Decision, DecisionRequest } from '../spin/decide.js';

export interface NumberedRequest {
  readonly number: number;
  readonly request: DecisionRequest;
}

export interface DecisionReply {
  readonly number: number;
  /** Undefined: not samples of that thread, or an error. */
  readonly decision: Decision | undefined;
  readonly error: string | undefined;
}

export interface SpinDeciderOptions {
  /** Says why a decision broke off. */
  readonly onFailure: (cause: string) => void;
  /** Other code for the thread, for tests. */
  readonly startWorker?: () => Worker;
  readonly limitMillis?: number;
  readonly idleMillis?: number;
}

/** Whatever is read of a process is bounded, to some 40 MiB at worst: these only stop a defect of ours. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 };
/** Of one decision. A hundred times the longest that was met; an emulated CPU takes fifty times as long. */
const LIMIT_MILLIS = 20_000;
/** Until the thread answers anything: it loads its code and the decoder, once. */
const START_LIMIT_MILLIS = 180_000;
/** Longer than the longest pause between two looks at a thread, so that it starts once, not each minute. */
const IDLE_MILLIS = 90_000;

const startSpinWorker = (): Worker =>
  new Worker(new URL('./spin-worker.js', import.meta.url), {
    name: 'wattfeed-spin',
    resourceLimits: RESOURCE_LIMITS,
  });

const isReply = (value: unknown): value is DecisionReply =>
  typeof value === 'object' && value !== null && 'number' in value && 'decision' in value;

const unknownOf = (tid: number, cause: string): Decision => ({
  examination: {
    tid,
    verdict: { _tag: 'Unknown', evidence: `the examination broke off: ${cause}` },
    sampleCount: 0,
    kernelShare: 0,
    hottestPlace: '',
    hottestAddress: undefined,
    listing: [],
  },
  costMillis: 0,
});

interface Pending {
  readonly tid: number;
  readonly resolve: (decision: Decision | undefined) => void;
}

export class SpinDecider {
  readonly #options: SpinDeciderOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Of the oldest question: they are answered one after the other. */
  #limit: NodeJS.Timeout | undefined;
  #lastNumber = 0;
  #isReady = false;

  constructor(options: SpinDeciderOptions) {
    this.#options = options;
  }

  get hasWorker(): boolean {
    return this.#worker !== undefined;
  }

  /** Undefined: these are not samples of that thread. Never rejects. */
  async decide(request: DecisionRequest): Promise<Decision | undefined> {
    clearTimeout(this.#idle);
    const number = (this.#lastNumber += 1);
    return new Promise((resolve) => {
      this.#pending.set(number, { tid: request.tid, resolve });
      if (this.#pending.size === 1) this.#setLimit();
      try {
        this.#worker ??= this.#start();
        this.#worker.postMessage({ number, request } satisfies NumberedRequest);
      } catch (error) {
        this.#fail(String(error));
      }
    });
  }

  /** What is asked still is unknown. Twice is fine. */
  close(): void {
    clearTimeout(this.#idle);
    this.#end('the agent ends');
  }

  #start(): Worker {
    const worker = (this.#options.startWorker ?? startSpinWorker)();
    worker.on('message', (message: unknown) => {
      if (isReply(message)) return this.#answer(message);
      // Loaded.
      this.#isReady = true;
      if (this.#pending.size > 0) this.#setLimit();
    });
    const failUnlessReplaced = (cause: string): void => {
      if (this.#worker === worker) this.#fail(cause);
    };
    worker.on('error', (error: unknown) => failUnlessReplaced(String(error)));
    worker.on('exit', (code) => failUnlessReplaced(`its thread ended with code ${String(code)}`));
    // The agent ends when it ends, whatever is being decided. A listener undoes this: last, therefore.
    worker.unref();
    return worker;
  }

  #answer({ number, decision, error }: DecisionReply): void {
    const pending = this.#pending.get(number);
    if (pending === undefined) return;
    this.#pending.delete(number);
    if (error !== undefined) this.#options.onFailure(error);
    pending.resolve(error === undefined ? decision : unknownOf(pending.tid, error));
    if (this.#pending.size === 0) this.#awaitNext();
    else this.#setLimit();
  }

  #setLimit(): void {
    const { limitMillis: ownMillis = LIMIT_MILLIS } = this.#options;
    const limitMillis = this.#isReady ? ownMillis : Math.max(ownMillis, START_LIMIT_MILLIS);
    clearTimeout(this.#limit);
    this.#limit = setTimeout(() => {
      this.#fail(`no decision within ${String(limitMillis / 1000)} s`);
    }, limitMillis);
    this.#limit.unref();
  }

  #awaitNext(): void {
    clearTimeout(this.#limit);
    this.#idle = setTimeout(() => {
      this.#end('');
    }, this.#options.idleMillis ?? IDLE_MILLIS);
    this.#idle.unref();
  }

  #fail(cause: string): void {
    this.#options.onFailure(cause);
    this.#end(cause);
  }

  #end(cause: string): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    void worker?.terminate();
    clearTimeout(this.#limit);
    for (const { tid, resolve } of this.#pending.values()) resolve(unknownOf(tid, cause));
    this.#pending.clear();
  }
}
