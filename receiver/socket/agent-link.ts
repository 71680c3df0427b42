// SPDX-License-Identifier: Apache-2.0
/** The viewer's end of a connection to the agent. */
import type { Socket } from 'node:net';
import type {
  ReportListener,
  ReportSource,
  SourceOptions,
  SourceOrigin,
} from '../model/report-source.js';
import type { AgentReport } from '../model/agent-report.js';
import type { ExplainTarget, Explanation } from '../model/explanation.js';
import type { Complaint } from '../model/errors.js';
import type { TraceItem, TraceSink } from '../model/trace-sink.js';
import { lineSplitter, parseJson } from './lines.js';
import { MAX_MESSAGE_BYTES, type ViewerRequest } from './protocol.js';
import { messageSchema, type ViewerMessage } from './report-schema.js';

type Hello = Extract<ViewerMessage, { type: 'hello' }>;

/** Resolves with the first value that arrives, or undefined after a while or at the end. */
class Awaited<T> {
  #resolve: ((value: T | undefined) => void) | undefined;

  async wait(timeoutMillis: number): Promise<T | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.settle(undefined), timeoutMillis);
      this.#resolve = (value) => {
        clearTimeout(timer);
        this.#resolve = undefined;
        resolve(value);
      };
    });
  }

  settle(value: T | undefined): void {
    this.#resolve?.(value);
  }
}

/** The code as it came: a newer agent may know others. */
export interface AgentRefusal {
  readonly code: string;
  readonly message: string;
}

const LAST_ID = 'last';
/** The longest window is an hour, and an entity may sleep through a few: then nobody waits that long. */
const EXPLAIN_TIMEOUT_MILLIS = 60_000;

export class AgentLink implements ReportSource {
  #latest: AgentReport | undefined;
  #greeting: Hello | undefined;
  #threadsOf: number | undefined;
  #ended: Complaint | undefined;
  #refusal: AgentRefusal | undefined;
  #isClosed = false;
  #sink: TraceSink | undefined;
  readonly #socket: Socket;
  readonly #path: string;
  readonly #reportListeners = new Set<ReportListener>();
  readonly #endListeners = new Set<(reason: Complaint) => void>();
  readonly #awaitedHello = new Awaited<Hello>();
  readonly #awaitedLast = new Awaited<true>();
  readonly #awaitedExplanation = new Awaited<{ readonly explanation: Explanation | undefined }>();
  readonly #split = lineSplitter(MAX_MESSAGE_BYTES);

  constructor(socket: Socket, path: string) {
    this.#socket = socket;
    this.#path = path;
    socket.on('data', (chunk) => {
      this.#read(chunk);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#awaitedHello.settle(undefined);
      this.#awaitedLast.settle(undefined);
      this.#awaitedExplanation.settle(undefined);
      this.#end(this.#gone('it ended without a word', 'see its log'));
    });
  }

  get origin(): SourceOrigin {
    return {
      _tag: 'Joined',
      agentPid: this.#greeting?.agent.pid ?? 0,
      agentVersion: this.#greeting?.agent.version ?? '',
      socketPath: this.#path,
    };
  }

  /** Why the agent hung up instead of greeting, in its own words. */
  get refusal(): AgentRefusal | undefined {
    return this.#refusal;
  }

  async hello(timeoutMillis: number): Promise<Hello | undefined> {
    if (this.#greeting !== undefined || this.#ended !== undefined) return this.#greeting;
    return this.#awaitedHello.wait(timeoutMillis);
  }

  /** False: no answer. True does not mean that there is a window yet. */
  async fetchLast(timeoutMillis: number): Promise<boolean> {
    if (this.#ended !== undefined) return false;
    const answered = this.#awaitedLast.wait(timeoutMillis);
    this.#send({ id: LAST_ID, request: 'last' });
    return (await answered) === true;
  }

  latest(): AgentReport | undefined {
    return this.#latest;
  }

  subscribe(listener: ReportListener): () => void {
    this.#reportListeners.add(listener);
    if (this.#reportListeners.size === 1) this.#request();
    return () => {
      this.#reportListeners.delete(listener);
      if (this.#reportListeners.size === 0) this.#send({ request: 'unsubscribe' });
    };
  }

  onEnd(listener: (reason: Complaint) => void): () => void {
    if (this.#ended !== undefined) queueMicrotask(() => this.#ended && listener(this.#ended));
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** The agent's window is its own: `intervalMillis` is the viewer's to sum up. */
  setOptions(options: SourceOptions): void {
    if (!('threadsOf' in options) || options.threadsOf === this.#threadsOf) return;
    this.#threadsOf = options.threadsOf;
    if (this.#reportListeners.size > 0) this.#request();
  }

  /** One at a time. */
  async explain(target: ExplainTarget): Promise<Explanation | undefined> {
    if (this.#ended !== undefined) return undefined;
    const answered = this.#awaitedExplanation.wait(EXPLAIN_TIMEOUT_MILLIS);
    this.#send({ request: 'explain', ...target });
    return (await answered)?.explanation;
  }

  record(sink: TraceSink): Complaint | undefined {
    if (this.#ended !== undefined) return this.#ended;
    this.#sink = sink;
    this.#send({ request: 'record' });
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#socket.destroy();
    return Promise.resolve();
  }

  #request(): void {
    this.#send({
      request: 'subscribe',
      ...(this.#threadsOf === undefined ? {} : { threadsOf: this.#threadsOf }),
    });
  }

  #send(request: ViewerRequest): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(request)}\n`);
  }

  #read(chunk: Buffer): void {
    const { lines, isOversized } = this.#split(chunk);
    for (const line of lines) this.#readLine(line);
    if (isOversized) this.#break('it sent a line beyond all bounds');
  }

  #readLine(line: string): void {
    const json = parseJson(line);
    if (json === undefined) return this.#break('it sent what is no JSON');
    const { data, error } = messageSchema.safeParse(json);
    if (data !== undefined) return this.#take(data);
    // A message of another type is a newer agent's and is passed over.
    const isUnknownType = error.issues.every(({ path }) => path.length === 1 && path[0] === 'type');
    if (!isUnknownType) this.#break(`it sent a message that is wrong at ${pathOf(error.issues)}`);
  }

  #take(message: ViewerMessage): void {
    switch (message.type) {
      case 'hello':
        this.#greeting = message;
        return this.#awaitedHello.settle(message);
      case 'report':
        return this.#takeReport(message);
      case 'end':
        return this.#end(this.#gone(message.reason, 'start it again with wattfeed run'));
      case 'error':
        if (this.#greeting === undefined) this.#refusal = message.error;
        return this.#break(`it answers ${message.error.code}: ${message.error.message}`);
      case 'explanation':
        return this.#awaitedExplanation.settle({ explanation: message.explanation ?? undefined });
      case 'trace':
        return this.#sink?.take(itemOf(message.record));
      case 'done':
        return;
    }
  }

  #takeReport({ id, report, skippedWindows }: Extract<ViewerMessage, { type: 'report' }>): void {
    this.#latest = report ?? this.#latest;
    if (id === LAST_ID) return this.#awaitedLast.settle(true);
    if (report !== null) {
      for (const listener of this.#reportListeners) listener(report, skippedWindows);
    }
  }

  #break(cause: string): void {
    this.#end(this.#gone(cause, 'use the same version of wattfeed for both'));
    this.#socket.destroy();
  }

  #gone(cause: string, remedy: string): Complaint {
    return { what: `follow agent ${this.#greeting?.agent.pid ?? ''}`.trimEnd(), cause, remedy };
  }

  /** Told once: the first reason is the cause of what follows. */
  #end(reason: Complaint): void {
    if (this.#ended !== undefined || this.#isClosed) return;
    this.#ended = reason;
    for (const listener of this.#endListeners) listener(reason);
  }
}

const itemOf = (record: Readonly<Record<string, unknown>>): TraceItem => {
  const { type, endNanos } = record;
  return {
    type: String(type),
    json: JSON.stringify(record),
    endNanos: type === 'window' && typeof endNanos === 'string' ? BigInt(endNanos) : undefined,
  };
};

const pathOf = (issues: readonly { readonly path: readonly PropertyKey[] }[]): string =>
  issues[0]?.path.map(String).join('.') ?? '';
