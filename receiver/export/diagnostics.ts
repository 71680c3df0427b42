// SPDX-License-Identifier: Apache-2.0
/**
 * What OpenTelemetry's own code has to say, made fit for an agent's log: each message once, nothing that
 * the exporter has said already, no objects (they can hold every data point, or a header).
 */
import { inspect } from 'node:util';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import type { ExportCounts } from './export-counts.js';

const PARTIAL_SUCCESS = 'Received Partial Success response:';
const EXPORT_FAILED = 'PeriodicExportingMetricReader: metrics export';
/** A message with a changing part must not fill the memory. */
const MAX_REMEMBERED = 100;

export type LogLevel = 'none' | 'error' | 'warn' | 'info' | 'debug' | 'all';

const LEVELS: Readonly<Record<LogLevel, DiagLogLevel>> = {
  none: DiagLogLevel.NONE,
  error: DiagLogLevel.ERROR,
  warn: DiagLogLevel.WARN,
  info: DiagLogLevel.INFO,
  debug: DiagLogLevel.DEBUG,
  all: DiagLogLevel.ALL,
};

/** `{"rejectedDataPoints":"3","errorMessage":"…"}`; protobuf's 64-bit numbers arrive as string or number. */
export const rejectedPoints = (partialSuccess: unknown): bigint => {
  if (typeof partialSuccess !== 'string') return 0n;
  const match = /"rejectedDataPoints":\s*"?(\d+)"?/.exec(partialSuccess);
  return match?.[1] === undefined ? 0n : BigInt(match[1]);
};

/** Routes the SDK's messages to `say`. Process-wide, as OpenTelemetry's diagnostics are. */
export const installDiagnostics = (
  level: LogLevel,
  counts: ExportCounts,
  say: (text: string) => void,
): void => {
  const seen = new Set<string>();
  const sayOnce = (text: string): void => {
    // "Export retry time 1141ms exceeds remaining timeout -105ms" comes anew with each export.
    const kind = text.replace(/-?\d+/g, '#');
    if (seen.has(kind) || seen.size >= MAX_REMEMBERED) return;
    seen.add(kind);
    say(text);
  };
  const rank = LEVELS[level];
  const speak =
    (messageLevel: DiagLogLevel) =>
    (message: string, ...rest: unknown[]): void => {
      // Component loggers put their name first.
      const parts = [message, ...rest].filter((part) => typeof part === 'string');
      const partial = parts.indexOf(PARTIAL_SUCCESS);
      if (partial !== -1) counts.rejected += rejectedPoints(parts[partial + 1]);
      if (messageLevel > rank || message.startsWith(EXPORT_FAILED)) return;
      sayOnce(`opentelemetry: ${parts.join(' ')}`);
    };
  const logger = {
    error: speak(DiagLogLevel.ERROR),
    warn: speak(DiagLogLevel.WARN),
    info: speak(DiagLogLevel.INFO),
    debug: speak(DiagLogLevel.DEBUG),
    verbose: speak(DiagLogLevel.VERBOSE),
  };
  // At least warnings must get here: a partial success is only ever told in one.
  const logLevel = rank < DiagLogLevel.WARN ? DiagLogLevel.WARN : rank;
  diag.setLogger(logger, { logLevel, suppressOverrideMessage: true });
  setGlobalErrorHandler((error) => {
    const text = error instanceof Error ? error.message : inspect(error);
    if (!text.startsWith(EXPORT_FAILED)) sayOnce(`opentelemetry: ${text}`);
  });
};
