// SPDX-License-Identifier: Apache-2.0
/** Ways to a real Collector: TLS, client certificates, gzip, and HTTP beside gRPC. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { collectorBinary, freePort } from '../../support/collector-process.js';
import { ExportingAgent } from '../../support/exporting-agent.js';
import { until } from '../../support/until.js';

const base = mkdtempSync(join(tmpdir(), 'wattfeed-transports-'));
const at = (name: string): string => join(base, name);
const openssl = (...args: readonly string[]): void => {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** A certificate authority, and a server's and a client's certificate by it. */
const makeCertificates = (): void => {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', '/CN=ca');
  writeFileSync(at('san'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  for (const name of ['server', 'client']) {
    const request = at(`${name}.csr`);
    openssl('req', ...key, '-keyout', at(`${name}.key`), '-out', request, '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', request, '-CA', at('ca.crt'), '-CAkey', at('ca.key')],
      ...['-CAcreateserial', '-out', at(`${name}.crt`), '-days', '2', '-extfile', at('san')],
    );
  }
};

interface Ports {
  readonly mutual: number;
  readonly https: number;
  readonly http: number;
}

const configOf = ({ mutual, https, http }: Ports): string => `
receivers:
  otlp/mutual:
    protocols:
      grpc:
        endpoint: 127.0.0.1:${String(mutual)}
        tls: { cert_file: ${at('server.crt')}, key_file: ${at('server.key')}, client_ca_file: ${at('ca.crt')} }
  otlp/https:
    protocols:
      http:
        endpoint: 127.0.0.1:${String(https)}
        tls: { cert_file: ${at('server.crt')}, key_file: ${at('server.key')} }
  otlp/http:
    protocols:
      http: { endpoint: "127.0.0.1:${String(http)}" }
exporters:
  file: { path: ${at('metrics.jsonl')}, flush_interval: 50ms }
service:
  telemetry: { logs: { level: warn }, metrics: { level: none } }
  pipelines:
    metrics: { receivers: [otlp/mutual, otlp/https, otlp/http], exporters: [file] }
`;

const received = (): string =>
  existsSync(at('metrics.jsonl')) ? readFileSync(at('metrics.jsonl'), 'utf8') : '';

const VARIABLES = [
  'ENDPOINT',
  'PROTOCOL',
  'COMPRESSION',
  'CERTIFICATE',
  'CLIENT_KEY',
  'CLIENT_CERTIFICATE',
];

describe('export to a real Collector', () => {
  let ports: Ports;
  let collector: ChildProcess;

  beforeAll(async () => {
    makeCertificates();
    ports = { mutual: await freePort(), https: await freePort(), http: await freePort() };
    writeFileSync(at('config.yaml'), configOf(ports));
    collector = spawn(collectorBinary(), ['--config', at('config.yaml')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await until(
      'the Collector to listen',
      async () => {
        if (collector.exitCode !== null) throw new Error('the Collector ended');
        const answer = await fetch(`http://127.0.0.1:${String(ports.http)}/`).catch(
          () => undefined,
        );
        return answer !== undefined;
      },
      30_000,
    );
  }, 80_000);
  afterEach(() => {
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, `OTEL_EXPORTER_OTLP_${name}`);
  });
  afterAll(async () => {
    collector.kill('SIGTERM');
    await once(collector, 'exit');
    rmSync(base, { recursive: true, force: true });
  });

  /** Exports one process of this name; what the exporter said. */
  const exportOne = async (
    name: string,
    endpoint: string,
    variables: Readonly<Record<string, string>>,
  ): Promise<string> => {
    for (const [key, value] of Object.entries({ ENDPOINT: endpoint, ...variables }))
      process.env[`OTEL_EXPORTER_OTLP_${key}`] = value;
    const agent = new ExportingAgent({
      endpoint,
      environment: {
        ...process.env,
        OTEL_METRIC_EXPORT_INTERVAL: '20000',
        OTEL_METRIC_EXPORT_TIMEOUT: '10000',
      },
    });
    agent.ledger.burn(agent.ledger.begin(7, 1n, name), 1_000_000n);
    agent.closeWindow();
    await agent.running.flush().catch(() => undefined);
    await agent.running.shutdown(2_000)();
    return agent.said.join('\n');
  };

  const arrives = async (name: string): Promise<void> => {
    await until(`${name} to arrive`, () => received().includes(name));
  };

  it('goes over TLS with a client certificate, compressed', async () => {
    const said = await exportOne('by-mutual-tls', `https://localhost:${String(ports.mutual)}`, {
      CERTIFICATE: at('ca.crt'),
      CLIENT_KEY: at('client.key'),
      CLIENT_CERTIFICATE: at('client.crt'),
      COMPRESSION: 'gzip',
    });
    expect(said).toBe('');
    await arrives('by-mutual-tls');
  });

  it('is told where the Collector wants a client certificate and gets none', async () => {
    const said = await exportOne(
      'without-certificate',
      `https://localhost:${String(ports.mutual)}`,
      {
        CERTIFICATE: at('ca.crt'),
      },
    );
    expect(said).toContain('unreachable');
    expect(received()).not.toContain('without-certificate');
  });

  it('does not trust a Collector whose authority it does not know', async () => {
    const said = await exportOne('to-a-stranger', `https://localhost:${String(ports.mutual)}`, {
      CLIENT_KEY: at('client.key'),
      CLIENT_CERTIFICATE: at('client.crt'),
    });
    expect(said).toContain('unreachable');
    expect(received()).not.toContain('to-a-stranger');
  });

  it('goes as protobuf over HTTP, plain and compressed', async () => {
    const said = await exportOne('by-http', `http://127.0.0.1:${String(ports.http)}`, {
      PROTOCOL: 'http/protobuf',
      COMPRESSION: 'gzip',
    });
    expect(said).toBe('');
    await arrives('by-http');
  });

  it('goes as protobuf over HTTPS', async () => {
    const said = await exportOne('by-https', `https://localhost:${String(ports.https)}`, {
      PROTOCOL: 'http/protobuf',
      CERTIFICATE: at('ca.crt'),
    });
    expect(said).toBe('');
    await arrives('by-https');
  });
});
