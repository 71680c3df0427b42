// SPDX-License-Identifier: Apache-2.0
/**
 * Versioned JSON lines between the agent and its viewers; docs/socket.md describes them. Within a
 * version fields and requests are only added, and readers pass over what they do not know.
 */
import { z } from 'zod';
import type { Explanation } from '../model/explanation.js';
import type { AgentReport, CgroupRow, ProcessRow, ThreadRow } from '../model/agent-report.js';

export const SOCKET_PROTOCOL = 1;

/** A request is a few words; whoever sends more is not a viewer. */
export const MAX_REQUEST_BYTES = 64 * 1024;
/** 65,536 processes at about 500 bytes are 32 MiB; twice that is no report. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

const pid = z.int().min(0).max(4_194_304);
const id = z.union([z.int(), z.string().max(64)]);

export type RequestId = z.infer<typeof id>;

export const requestSchema = z.discriminatedUnion('request', [
  z.object({ id: id.optional(), request: z.literal('last') }),
  z.object({ id: id.optional(), request: z.literal('subscribe'), threadsOf: pid.optional() }),
  z.object({ id: id.optional(), request: z.literal('unsubscribe') }),
  z.object({ id: id.optional(), request: z.literal('record') }),
  z.object({
    id: id.optional(),
    request: z.literal('detail'),
    pid: pid.optional(),
    cgroup: z.string().max(8192).optional(),
  }),
  z.object({
    id: id.optional(),
    request: z.literal('explain'),
    pid: pid.optional(),
    cgroup: z.string().max(8192).optional(),
  }),
]);

export type ViewerRequest = z.infer<typeof requestSchema>;

/** The id alone, so that an error can name the request that it answers. */
export const requestIdSchema = z.object({ id });

/** One entity and what belongs to it, out of the last window. */
export interface EntityDetail {
  readonly window: AgentReport['window'];
  readonly source: AgentReport['source'];
  /** The process asked for, or those in the cgroup asked for. A pid used again has two. */
  readonly processes: readonly ProcessRow[];
  /** The process's cgroup, or the cgroup asked for and those below it. Each is exclusive. */
  readonly cgroups: readonly CgroupRow[];
  /** Only those that some viewer watches just now (`threadsOf`). */
  readonly threads: readonly ThreadRow[];
}

export type ErrorCode =
  /** Not a JSON object: the connection is closed. */
  | 'garbage'
  /** A line longer than MAX_REQUEST_BYTES: the connection is closed. */
  | 'oversized'
  /** No request of that name, or a field of the wrong type. */
  | 'bad-request'
  /** The last window knows no such entity. */
  | 'not-found'
  /** The agent could not answer. */
  | 'failed'
  /** Neither root nor the agent's own user: instead of the greeting, and the connection is closed. */
  | 'not-allowed'
  /** As many viewers as the agent serves: instead of the greeting, and the connection is closed. */
  | 'busy';

export type AgentMessage =
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly agent: { readonly pid: number; readonly version: string };
    }
  | {
      readonly type: 'report';
      readonly id: RequestId | null;
      /** Windows this viewer was too slow for since the last message. */
      readonly skippedWindows: number;
      /** Null: no window has ended yet. */
      readonly report: AgentReport | null;
    }
  | {
      readonly type: 'detail';
      readonly id: RequestId | null;
      readonly detail: EntityDetail;
    }
  | {
      readonly type: 'explanation';
      readonly id: RequestId | null;
      /** Null: the agent knows no such entity. */
      readonly explanation: Explanation | null;
    }
  /** One record of docs/trace-format.md. */
  | { readonly type: 'trace'; readonly record: object }
  | { readonly type: 'done'; readonly id: RequestId | null }
  | {
      readonly type: 'error';
      readonly id: RequestId | null;
      readonly error: { readonly code: ErrorCode; readonly message: string };
    }
  /** The last message of an agent that stops in order. */
  | { readonly type: 'end'; readonly reason: string };

export const lineOf = (message: AgentMessage): string => `${JSON.stringify(message)}\n`;

/** A report as a line, from its JSON: that is made once for all viewers of a window. */
export const reportLine = (
  requestId: RequestId | null,
  skippedWindows: number,
  reportJson: string,
): string =>
  `{"type":"report","id":${JSON.stringify(requestId)},"skippedWindows":${skippedWindows},` +
  `"report":${reportJson}}\n`;

/** A record as a line, from its JSON. */
export const traceLine = (recordJson: string): string =>
  `{"type":"trace","record":${recordJson}}\n`;
