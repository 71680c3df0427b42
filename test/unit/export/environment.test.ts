// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { readEnvironment, type ExportSettings } from '../../../receiver/export/environment.js';
import type { Environment } from '../../../receiver/export/environment-reader.js';
import { complaintText } from '../../../receiver/model/errors.js';

const DEFAULTS = { intervalMillis: 10_000, timeoutMillis: 10_000 };

const settings = (env: Environment): ExportSettings => {
  const result = readEnvironment(env, DEFAULTS);
  if (E.isLeft(result)) throw new Error(result.left.map(complaintText).join('\n'));
  return result.right;
};

const mistakes = (env: Environment): readonly string[] => {
  const result = readEnvironment(env, DEFAULTS);
  return E.isLeft(result) ? result.left.map(complaintText) : [];
};

const warnings = (env: Environment): readonly string[] => settings(env).warnings.map(complaintText);

describe('readEnvironment', () => {
  it('takes the defaults from an empty environment', () => {
    expect(settings({})).toEqual({
      exporter: 'otlp',
      protocol: 'grpc',
      intervalMillis: 10_000,
      timeoutMillis: 10_000,
      requestTimeoutMillis: 9_000,
      temporality: 'cumulative',
      logLevel: 'info',
      endpoint: undefined,
      tlsFiles: {},
      serviceName: undefined,
      resourceAttributes: {},
      warnings: [],
    });
  });

  it('counts a blank variable as unset', () => {
    const env = { OTEL_METRICS_EXPORTER: ' ', OTEL_METRIC_EXPORT_INTERVAL: '' };
    expect(settings(env)).toEqual(settings({}));
  });

  it('clamps the timeout to the interval and says so', () => {
    const env = { OTEL_METRIC_EXPORT_INTERVAL: '2000', OTEL_METRIC_EXPORT_TIMEOUT: '5000' };
    expect(settings(env)).toMatchObject({ intervalMillis: 2_000, timeoutMillis: 2_000 });
    expect(warnings(env)[0]).toContain('longer than the export interval');
  });

  it('clamps a default timeout silently', () => {
    expect(settings({ OTEL_METRIC_EXPORT_INTERVAL: '2000' })).toMatchObject({
      timeoutMillis: 2_000,
      requestTimeoutMillis: 1_800,
      warnings: [],
    });
  });

  it.each(['abc', '-1', '0', '1.5', '99999999999'])(
    'ignores the interval %s with a warning',
    (value) => {
      const env = { OTEL_METRIC_EXPORT_INTERVAL: value };
      expect(settings(env).intervalMillis).toBe(10_000);
      expect(warnings(env)).toHaveLength(1);
    },
  );

  it.each([
    ['OTEL_METRIC_EXPORT_INTERVAL', 'intervalMillis', 100],
    ['OTEL_METRIC_EXPORT_TIMEOUT', 'timeoutMillis', 100],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', 'requestTimeoutMillis', 100],
  ] as const)('does not go below 100 ms with %s', (name, setting, millis) => {
    expect(settings({ [name]: '1' })[setting]).toBe(millis);
    expect(warnings({ [name]: '1' })).toEqual([
      `read ${name}=1: shorter than 100 ms; 100 ms is used`,
    ]);
    expect(warnings({ [name]: '100' })).toEqual([]);
  });

  it('lets the request timeout of the signal win', () => {
    const env = {
      OTEL_EXPORTER_OTLP_TIMEOUT: '7000',
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: '3000',
    };
    expect(settings(env).requestTimeoutMillis).toBe(3_000);
  });

  it.each([
    ['delta', 'delta'],
    ['DELTA', 'delta'],
    ['lowmemory', 'cumulative'],
    ['cumulative', 'cumulative'],
  ])('reads the temporality preference %s as %s', (value, temporality) => {
    const env = { OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: value };
    expect(settings(env).temporality).toBe(temporality);
  });

  it.each([
    ['true', 'none'],
    ['TRUE', 'none'],
    ['1', 'otlp'],
    ['false', 'otlp'],
  ])('exports by %s when OTEL_SDK_DISABLED is %s', (value, exporter) => {
    expect(settings({ OTEL_SDK_DISABLED: value }).exporter).toBe(exporter);
  });

  it('refuses another protocol with the way out', () => {
    const [text] = mistakes({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
    expect(text).toContain('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=grpc');
  });

  it('does not mind another protocol for other signals once metrics have their own', () => {
    const env = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc',
    };
    expect(mistakes(env)).toEqual([]);
  });

  it('does not mind the protocol when nothing is sent', () => {
    const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_METRICS_EXPORTER: 'none' };
    expect(mistakes(env)).toEqual([]);
  });

  it('tells all mistakes at once', () => {
    const env = {
      OTEL_CONFIG_FILE: '/etc/otel.yaml',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'grpc://collector:4317',
    };
    expect(mistakes(env)).toHaveLength(3);
    expect(mistakes({ ...env, OTEL_METRICS_EXPORTER: 'prometheus' })).toHaveLength(2);
  });

  it('warns that an endpoint without a scheme means TLS', () => {
    expect(warnings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' })[0]).toContain(
      'write http://collector:4317 for a plain connection',
    );
    const insecure = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_INSECURE: 'true',
    };
    expect(warnings(insecure)).toEqual([]);
  });

  it('warns about a path and about a unix socket', () => {
    expect(warnings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/v1/metrics' })[0]).toContain(
      'means nothing to gRPC',
    );
    expect(warnings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'unix:///run/otel.sock' })[0]).toContain(
      'INSECURE=true',
    );
  });

  it('shows no password of an endpoint', () => {
    const secret = { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://user:hunter2@c:1' };
    expect(mistakes(secret).join()).not.toContain('hunter2');
    const fine = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hunter2@c:1' };
    expect(settings(fine).endpoint).toBe('http://c:1');
  });

  it('decodes resource attributes, and discards all of a malformed list without quoting it', () => {
    const good = { OTEL_RESOURCE_ATTRIBUTES: 'k8s.node.name=n%201, a=b=c' };
    expect(settings(good).resourceAttributes).toEqual({ 'k8s.node.name': 'n 1', a: 'b=c' });
    for (const value of ['a=1,secret', 'a=%zz', '=x', `a=${'x'.repeat(256)}`]) {
      const bad = { OTEL_RESOURCE_ATTRIBUTES: value };
      expect(settings(bad).resourceAttributes).toEqual({});
      expect(warnings(bad)).toHaveLength(1);
      expect(warnings(bad).join()).not.toContain(value);
    }
  });

  it('passes headers that gRPC can send', () => {
    const headers = 'authorization=Bearer%20a%3Db, X-Scope-OrgID = tenant ,';
    expect(warnings({ OTEL_EXPORTER_OTLP_HEADERS: headers })).toEqual([]);
  });

  it.each([
    ['bad key=1', 'pair 1 has a key with other characters than a-z, 0-9, _, . and -'],
    ['a=1,b%0A=2', 'pair 2 has a key with other characters than a-z, 0-9, _, . and -'],
    ['token-bin=c2VjcmV0', 'pair 1 has a key that ends in -bin'],
    ['a=s\u00e9cret', 'pair 1 has a value with characters that are not printable ASCII'],
    ['a=secret%0a', 'pair 1 has a value with characters that are not printable ASCII'],
  ])('refuses a header that gRPC throws at, without its value: %s', (headers, cause) => {
    for (const name of ['OTEL_EXPORTER_OTLP_METRICS_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'])
      expect(mistakes({ [name]: headers })).toEqual([
        `read ${name}=…: ${cause}; gRPC cannot send such a header`,
      ]);
  });

  it('says which headers the SDK would drop without a word', () => {
    expect(warnings({ OTEL_EXPORTER_OTLP_HEADERS: 'secret,a=%zz,=secret,b=' })).toEqual(
      [
        'pair 1 has no =',
        'pair 2 is not percent-encoded',
        'pair 3 has no key',
        'pair 4 has no value',
      ].map((cause) => `read OTEL_EXPORTER_OTLP_HEADERS=…: ${cause}; this header is not sent`),
    );
  });

  it('does not look at headers where nothing is sent', () => {
    const env = { OTEL_METRICS_EXPORTER: 'console', OTEL_EXPORTER_OTLP_HEADERS: 'bad key=1' };
    expect(mistakes(env)).toEqual([]);
  });

  const CERTIFICATE = { OTEL_EXPORTER_OTLP_CERTIFICATE: '/etc/ca.pem' };
  const PAIR = {
    OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: '/etc/me.pem',
    OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY: '/etc/me.key',
  };

  it.each(['https://c:4317', 'c:4317', 'unix:///run/c.sock'])(
    'names the files that the connection to %s needs',
    (endpoint) => {
      const env = { ...CERTIFICATE, ...PAIR, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      expect(settings(env).tlsFiles).toEqual({
        certificate: { variable: 'OTEL_EXPORTER_OTLP_CERTIFICATE', path: '/etc/ca.pem' },
        clientCertificate: {
          variable: 'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
          path: '/etc/me.pem',
        },
        clientKey: { variable: 'OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY', path: '/etc/me.key' },
      });
    },
  );

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'c:4317', OTEL_EXPORTER_OTLP_INSECURE: 'true' },
  ])('warns that a certificate is of no use with %j', (env) => {
    expect(settings({ ...env, ...CERTIFICATE }).tlsFiles).toEqual({});
    expect(warnings({ ...env, ...CERTIFICATE })).toEqual([
      'read OTEL_EXPORTER_OTLP_CERTIFICATE=/etc/ca.pem: the connection is not encrypted; use an https:// endpoint',
    ]);
  });

  it('refuses half of a client’s pair', () => {
    const { OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE } = PAIR;
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c', OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE };
    expect(mistakes(env).join()).toContain('only one is given');
  });
});
