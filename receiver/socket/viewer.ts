// SPDX-License-Identifier: Apache-2.0
/**
 * One connected viewer. What it has not read is bounded: one report and the answer to one request.
 * While that is in flight, windows are skipped and counted and no further request is read.
 */
import type { Socket } from 'node:net';
import { lineSplitter, parseJson } from './lines.js';
import {
  MAX_REQUEST_BYTES,
  SOCKET_PROTOCOL,
  lineOf,
  reportLine,
  traceLine,
  requestIdSchema,
  requestSchema,
  type AgentMessage,
  type ErrorCode,
  type RequestId,
  type ViewerRequest,
} from './protocol.js';

/** What a viewer may ask; the server answers. */
export interface ViewerHost {
  readonly version: string;
  readonly answer: (viewer: Viewer, request: ViewerRequest) => Promise<string>;
  readonly closed: (viewer: Viewer) => void;
}

export interface Subscription {
  readonly id: RequestId | null;
  readonly threadsOf: number | undefined;
  readonly release: () => void;
}

export interface Viewer {
  /** Undefined: it gets no windows. Setting it releases the former one. */
  subscription: Subscription | undefined;
  /** A window for this viewer, as JSON; skipped if the last one is still on its way. */
  readonly offer: (reportJson: string) => void;
  /** Ends the recording for this viewer, if there is one. Setting it ends the former one. */
  recording: (() => void) | undefined;
  /** For a recorder: what it has not read is bounded in bytes. */
  readonly canTakeTrace: () => boolean;
  readonly sendTrace: (recordJson: string) => void;
  readonly end: (reason: string) => Promise<void>;
}

/** A recorder may be behind by so much: some seconds of 10,000 active tasks. Beyond it windows are left out. */
const MAX_TRACE_BACKLOG_BYTES = 32 * 1024 * 1024;

/** How long an ending agent waits for a viewer to take the last line. */
const END_MILLIS = 300;

const errorLine = (id: RequestId | null, code: ErrorCode, message: string): string =>
  lineOf({ type: 'error', id, error: { code, message } } satisfies AgentMessage);

class ConnectedViewer implements Viewer {
  #subscription: Subscription | undefined;
  #recording: (() => void) | undefined;
  #skippedWindows = 0;
  #isBlocked = false;
  #isAnswering = false;
  #asksNoMore = false;
  readonly #pending: string[] = [];
  readonly #split = lineSplitter(MAX_REQUEST_BYTES);
  readonly #socket: Socket;
  readonly #host: ViewerHost;

  constructor(socket: Socket, host: ViewerHost) {
    this.#socket = socket;
    this.#host = host;
    socket.on('drain', () => {
      this.#isBlocked = false;
      void this.#answerPending();
    });
    socket.on('data', (chunk) => {
      this.#read(chunk);
    });
    socket.on('end', () => {
      this.#asksNoMore = true;
      this.#endIfDone();
    });
    // A viewer that goes away is no event for the agent; 'close' follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.subscription = undefined;
      this.recording = undefined;
      host.closed(this);
    });
    this.#write(
      lineOf({
        type: 'hello',
        protocol: SOCKET_PROTOCOL,
        agent: { pid: process.pid, version: host.version },
      }),
    );
  }

  get subscription(): Subscription | undefined {
    return this.#subscription;
  }

  set subscription(next: Subscription | undefined) {
    this.#subscription?.release();
    this.#subscription = next;
    this.#skippedWindows = 0;
  }

  get recording(): (() => void) | undefined {
    return this.#recording;
  }

  set recording(next: (() => void) | undefined) {
    this.#recording?.();
    this.#recording = next;
  }

  canTakeTrace(): boolean {
    return !this.#socket.destroyed && this.#socket.writableLength < MAX_TRACE_BACKLOG_BYTES;
  }

  sendTrace(recordJson: string): void {
    this.#write(traceLine(recordJson));
  }

  offer(reportJson: string): void {
    if (this.#subscription === undefined || this.#socket.destroyed) return;
    if (this.#isBlocked) {
      this.#skippedWindows++;
      return;
    }
    const skipped = this.#skippedWindows;
    this.#skippedWindows = 0;
    this.#write(reportLine(this.#subscription.id, skipped, reportJson));
  }

  async end(reason: string): Promise<void> {
    if (this.#socket.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => {
        resolve();
      });
      this.#hangUp(lineOf({ type: 'end', reason }));
    });
  }

  /** One last line, and the end even if the viewer never takes it. */
  #hangUp(line: string): void {
    this.#pending.length = 0;
    const timer = setTimeout(() => this.#socket.destroy(), END_MILLIS);
    this.#socket.once('close', () => {
      clearTimeout(timer);
    });
    this.#socket.end(line, () => this.#socket.destroySoon());
    this.#socket.resume();
  }

  #write(line: string): void {
    if (this.#socket.writable) this.#isBlocked = !this.#socket.write(line);
  }

  #read(chunk: Buffer): void {
    const { lines, isOversized } = this.#split(chunk);
    this.#pending.push(...lines);
    if (isOversized) {
      return this.#refuse('oversized', `a request is at most ${MAX_REQUEST_BYTES} bytes`);
    }
    if (lines.length > 0) void this.#answerPending();
  }

  /** Says why and hangs up: after this the stream cannot be followed. */
  #refuse(code: ErrorCode, message: string): void {
    if (this.#socket.writable) this.#hangUp(errorLine(null, code, message));
  }

  /** One after the other, each only when the viewer has taken what it was sent before. */
  async #answerPending(): Promise<void> {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#socket.pause();
    while (!this.#isBlocked && !this.#socket.destroyed) {
      const line = this.#pending.shift();
      if (line === undefined) break;
      await this.#answerLine(line);
    }
    this.#isAnswering = false;
    if (!this.#isBlocked && this.#pending.length === 0) this.#socket.resume();
    this.#endIfDone();
  }

  /** A closed connection looks the same as one that only asks no more: neither gets further windows. */
  #endIfDone(): void {
    if (!this.#asksNoMore || this.#isAnswering || this.#pending.length > 0) return;
    this.#socket.end(() => this.#socket.destroySoon());
  }

  async #answerLine(line: string): Promise<void> {
    const json = parseJson(line);
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      return this.#refuse('garbage', 'a request is one JSON object on a line');
    }
    const id = requestIdSchema.safeParse(json).data?.id ?? null;
    const { data, error } = requestSchema.safeParse(json);
    if (data === undefined) {
      const reason = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      return this.#write(errorLine(id, 'bad-request', reason.join('; ')));
    }
    try {
      this.#write(await this.#host.answer(this, data));
    } catch (failure) {
      const message = failure instanceof Error ? failure.message : String(failure);
      this.#write(errorLine(id, 'failed', message));
    }
  }
}

export const viewerOn = (socket: Socket, host: ViewerHost): Viewer =>
  new ConnectedViewer(socket, host);
