// SPDX-License-Identifier: Apache-2.0
/** What a failed export means, by its gRPC or HTTP status code; pure. */

/** In the order of their codes, 0 to 16. */
const STATUS_NAMES = [
  'ok',
  'cancelled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
] as const;

/**
 * `unreachable`: nobody answered, so the next batch of the same interval will fare no better and the
 * channel may be stuck. `refused`: a collector answered, and said no to this message.
 */
export type FailureKind = 'unreachable' | 'refused';

export interface ExportFailure {
  readonly kind: FailureKind;
  /** Name of the status, or `other`. */
  readonly reason: string;
  /** What the peer or the channel said, fit for a log; empty where it might hold a secret. */
  readonly detail: string;
  /** The message was above the receiver's limit; a smaller one may pass. */
  readonly isTooLarge: boolean;
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'cancelled',
  'unknown',
  'deadline_exceeded',
  'internal',
  'unavailable',
  'other',
]);
/** Their messages may quote the credentials. */
const SECRETIVE: ReadonlySet<string> = new Set([
  'permission_denied',
  'unauthenticated',
  'http_401',
  'http_403',
]);
const MAX_DETAIL_LENGTH = 160;

/** As grpc-go, grpc-java and Envoy say it; the same status also means an overload, where more tries do harm. */
const TOO_LARGE = /larger than max|exceeds maximum size|too large/i;

/** HTTP codes begin here, gRPC's end below. */
const FIRST_HTTP_STATUS = 100;
/** As the OTLP specification has it: nobody took the message, and later somebody may. */
const RETRYABLE_HTTP: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const HTTP_TOO_LARGE = 413;

/** What gRPC adds of the name's resolution, mostly nothing. */
const EMPTY_NOTE = / Resolution note: *$/;

const printable = (text: string): string =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(EMPTY_NOTE, '')
    .slice(0, MAX_DETAIL_LENGTH);

const detailOf = (error: Error): string =>
  printable(
    'details' in error && typeof error.details === 'string' ? error.details : error.message,
  );

export const exportFailure = (error: Error | undefined): ExportFailure => {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  if (typeof code === 'number' && code >= FIRST_HTTP_STATUS) return httpFailure(error, code);
  const reason = (typeof code === 'number' ? STATUS_NAMES[code] : undefined) ?? 'other';
  const kind = UNREACHABLE.has(reason) ? 'unreachable' : 'refused';
  const detail = error === undefined || SECRETIVE.has(reason) ? '' : detailOf(error);
  const isTooLarge = reason === 'resource_exhausted' && TOO_LARGE.test(detail);
  return { kind, reason, detail, isTooLarge };
};

const httpFailure = (error: Error | undefined, code: number): ExportFailure => {
  const reason = `http_${String(code)}`;
  return {
    kind: RETRYABLE_HTTP.has(code) ? 'unreachable' : 'refused',
    reason,
    detail: error === undefined || SECRETIVE.has(reason) ? '' : detailOf(error),
    isTooLarge: code === HTTP_TOO_LARGE,
  };
};
