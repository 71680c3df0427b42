// SPDX-License-Identifier: Apache-2.0
/**
 * The OTEL_* variables that the SDK does not read by itself, and a check of those it does; pure.
 *
 * The specification asks that a value which cannot be parsed be ignored with a warning. An explicit
 * wish that cannot be met (another protocol, another exporter, a configuration file) is an error: exporting
 * something else, or nowhere, without a word is worse than not starting.
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Complaint } from '../model/errors.js';
import type { LogLevel } from './diagnostics.js';
import { endpointProblems, httpEndpointProblems } from './environment-endpoint.js';
import { headerProblems } from './environment-headers.js';
import { EnvironmentReader, type Environment } from './environment-reader.js';
import { parseResourceAttributes } from './environment-resource.js';
import { isInsecure, tlsFilesOf, type TlsFiles } from './environment-tls.js';
import type { Temporality } from './stream.js';

export type ExporterName = 'otlp' | 'console' | 'none';
export type OtlpProtocol = 'grpc' | 'http/protobuf';

/** What holds where no variable says otherwise. */
export interface ExportDefaults {
  readonly intervalMillis: number;
  readonly timeoutMillis: number;
}

export interface ExportSettings {
  /** `none` also when OTEL_SDK_DISABLED. */
  readonly exporter: ExporterName;
  readonly protocol: OtlpProtocol;
  readonly intervalMillis: number;
  /** One export with all its batches; at most the interval. */
  readonly timeoutMillis: number;
  /** One request. */
  readonly requestTimeoutMillis: number;
  readonly temporality: Temporality;
  readonly logLevel: LogLevel;
  /** From the environment; undefined means the exporter's default. Without user and password. */
  readonly endpoint: string | undefined;
  /** Files that the connection needs; none of a plain one. */
  readonly tlsFiles: TlsFiles;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly warnings: readonly Complaint[];
}

/** The SDK's default for a request: OTEL_EXPORTER_OTLP_TIMEOUT. */
const DEFAULT_REQUEST_TIMEOUT_MILLIS = 10_000;
/** A request must end before the export it belongs to, or the reader gives up on it first. */
const REQUEST_SHARE_OF_TIMEOUT = 0.9;
export const readEnvironment = (
  env: Environment,
  defaults: ExportDefaults,
): E.Either<readonly Complaint[], ExportSettings> => {
  const reader = new EnvironmentReader(env);
  const isDisabled = reader.text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true';
  const exporter = exporterName(reader);
  checkConfigFile(reader);
  // Nothing of the exporter matters when nothing is exported by it.
  const isOtlp = exporter === 'otlp' && !isDisabled;
  const protocol = isOtlp ? protocolOf(reader) : 'grpc';
  if (isOtlp) checkHeaders(reader);
  const endpoint = isOtlp ? checkEndpoint(reader, protocol) : undefined;
  const settings: ExportSettings = {
    exporter: isDisabled ? 'none' : exporter,
    protocol,
    ...timing(reader, defaults),
    temporality: temporalityOf(reader),
    logLevel: logLevelOf(reader),
    endpoint,
    tlsFiles: isOtlp ? tlsFilesOf(reader, endpoint) : {},
    serviceName: reader.text('OTEL_SERVICE_NAME'),
    resourceAttributes: resourceAttributesOf(reader),
    warnings: reader.warnings,
  };
  return reader.errors.length > 0 ? E.left(reader.errors) : E.right(settings);
};

const exporterName = (reader: EnvironmentReader): ExporterName => {
  const value = reader.text('OTEL_METRICS_EXPORTER')?.toLowerCase() ?? 'otlp';
  if (value === 'otlp' || value === 'console' || value === 'none') return value;
  reader.fail(
    `read OTEL_METRICS_EXPORTER=${value}`,
    'no such exporter here',
    'set it to one of otlp, console, none',
  );
  return 'none';
};

const checkConfigFile = (reader: EnvironmentReader): void => {
  const file = reader.text('OTEL_CONFIG_FILE');
  if (file === undefined) return;
  reader.fail(
    `read OTEL_CONFIG_FILE=${file}`,
    'declarative configuration is not supported, and it would have to replace all other OTEL_ variables',
    'unset it and use OTEL_EXPORTER_OTLP_METRICS_* and OTEL_METRIC_EXPORT_INTERVAL',
  );
};

const protocolOf = (reader: EnvironmentReader): OtlpProtocol => {
  const found = reader.otlp('PROTOCOL');
  const value = found?.[1].toLowerCase() ?? 'grpc';
  if (value === 'grpc' || value === 'http/protobuf') return value;
  reader.fail(
    `read ${found?.[0] ?? ''}=${found?.[1] ?? ''}`,
    'metrics are sent over grpc or http/protobuf only',
    'set OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc (usually port 4317) or http/protobuf (usually port 4318)',
  );
  return 'grpc';
};

const checkEndpoint = (reader: EnvironmentReader, protocol: OtlpProtocol): string | undefined => {
  const found = reader.otlp('ENDPOINT');
  if (found === undefined) return undefined;
  const [name, value] = found;
  const { shown, warning, error } =
    protocol === 'grpc' ? endpointProblems(value, isInsecure(reader)) : httpEndpointProblems(value);
  if (warning !== undefined) reader.warn(name, shown, warning.cause, warning.remedy);
  if (error !== undefined) reader.fail(`read ${name}=${shown}`, error.cause, error.remedy);
  return shown;
};

/** Both variables count, the signal's own over the general one. */
const checkHeaders = (reader: EnvironmentReader): void => {
  for (const name of ['OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS']) {
    for (const { place, cause, isFatal } of headerProblems(reader.text(name) ?? '')) {
      const what = `pair ${place} ${cause}`;
      if (isFatal) reader.fail(`read ${name}=…`, what, 'gRPC cannot send such a header');
      else reader.warn(name, '…', what, 'this header is not sent');
    }
  }
};

const timing = (
  reader: EnvironmentReader,
  defaults: ExportDefaults,
): Pick<ExportSettings, 'intervalMillis' | 'timeoutMillis' | 'requestTimeoutMillis'> => {
  const intervalMillis = reader.millis('OTEL_METRIC_EXPORT_INTERVAL') ?? defaults.intervalMillis;
  const asked = reader.millis('OTEL_METRIC_EXPORT_TIMEOUT');
  const wanted = asked ?? defaults.timeoutMillis;
  const timeoutMillis = Math.min(wanted, intervalMillis);
  if (asked !== undefined && asked > intervalMillis) {
    reader.warn(
      'OTEL_METRIC_EXPORT_TIMEOUT',
      String(asked),
      'longer than the export interval',
      `${intervalMillis} ms is used`,
    );
  }
  const request =
    reader.millis('OTEL_EXPORTER_OTLP_METRICS_TIMEOUT') ??
    reader.millis('OTEL_EXPORTER_OTLP_TIMEOUT') ??
    DEFAULT_REQUEST_TIMEOUT_MILLIS;
  const longest = Math.max(1, Math.floor(timeoutMillis * REQUEST_SHARE_OF_TIMEOUT));
  return { intervalMillis, timeoutMillis, requestTimeoutMillis: Math.min(request, longest) };
};

const temporalityOf = (reader: EnvironmentReader): Temporality => {
  const preference = reader.choice('OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE', [
    'cumulative',
    'delta',
    'lowmemory',
  ]);
  // `lowmemory` asks for cumulative sums from observable counters, which is what totals are.
  return preference === 'delta' ? 'delta' : 'cumulative';
};

const logLevelOf = (reader: EnvironmentReader): LogLevel => {
  const level = reader.choice('OTEL_LOG_LEVEL', [
    'none',
    'error',
    'warn',
    'info',
    'debug',
    'verbose',
    'all',
  ]);
  return level === 'verbose' ? 'all' : (level ?? 'info');
};

const resourceAttributesOf = (reader: EnvironmentReader): Readonly<Record<string, string>> => {
  const value = reader.text('OTEL_RESOURCE_ATTRIBUTES');
  if (value === undefined) return {};
  const parsed = parseResourceAttributes(value);
  if (E.isRight(parsed)) return parsed.right;
  reader.warn('OTEL_RESOURCE_ATTRIBUTES', '…', parsed.left, 'none of its attributes is used');
  return {};
};
