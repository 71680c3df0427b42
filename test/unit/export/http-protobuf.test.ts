// SPDX-License-Identifier: Apache-2.0
/** The official HTTP exporter behind our own: what is sent, and what each answer means. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exportFailure } from '../../../receiver/export/failure.js';
import { ExportingAgent } from '../../support/exporting-agent.js';

const SECRET = 'Bearer-s3cr3t';

describe('export over http/protobuf', () => {
  let server: Server;
  let url = '';
  let status = 200;
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  beforeEach(async () => {
    requests.length = 0;
    status = 200;
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { headers } = request;
        requests.push({ path: request.url ?? '', headers, body: Buffer.concat(chunks) });
        response.writeHead(status).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    url = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : '')}`;
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = url;
  });
  afterEach(async () => {
    for (const name of ['ENDPOINT', 'HEADERS', 'COMPRESSION'])
      Reflect.deleteProperty(process.env, `OTEL_EXPORTER_OTLP_${name}`);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const agentWith = (): ExportingAgent =>
    new ExportingAgent({
      endpoint: `${url}/v1/metrics`,
      environment: { ...process.env, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    });

  it('posts protobuf to /v1/metrics, with headers, and counts what has arrived', async () => {
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = `authorization=${SECRET}`;
    process.env['OTEL_EXPORTER_OTLP_COMPRESSION'] = 'gzip';
    const agent = agentWith();
    agent.ledger.burn(agent.ledger.begin(7, 1n, 'find-me'), 1_000_000n);
    agent.closeWindow();
    await agent.running.flush();
    await agent.running.shutdown(1_000)();
    const [request] = requests;
    expect(request?.path).toBe('/v1/metrics');
    expect(request?.headers['content-type']).toBe('application/x-protobuf');
    expect(request?.headers['authorization']).toBe(SECRET);
    expect(request?.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(request?.body ?? Buffer.alloc(0)).includes('find-me')).toBe(true);
    expect(agent.running.counts.delivered).toBeGreaterThan(0n);
    expect(agent.said.join()).not.toContain(SECRET);
  });

  it('says a refusal, without what the server was told in secret', async () => {
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = `authorization=${SECRET}`;
    status = 401;
    const agent = agentWith();
    agent.closeWindow();
    await agent.running.flush().catch(() => undefined);
    await agent.running.shutdown(1_000)();
    expect(agent.running.counts.delivered).toBe(0n);
    expect(agent.said.join()).toContain('http_401');
    expect(agent.said.join()).not.toContain(SECRET);
  });
});

describe('exportFailure of HTTP', () => {
  const of = (code: number) => exportFailure(Object.assign(new Error('text'), { code }));
  it('tells those who may answer later from those who said no', () => {
    expect(of(503)).toMatchObject({ kind: 'unreachable', reason: 'http_503' });
    expect(of(429)).toMatchObject({ kind: 'unreachable' });
    expect(of(404)).toMatchObject({ kind: 'refused', detail: 'text', isTooLarge: false });
    expect(of(413)).toMatchObject({ kind: 'refused', isTooLarge: true });
    expect(of(403)).toMatchObject({ detail: '' });
    expect(exportFailure(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })).kind).toBe(
      'unreachable',
    );
  });
});
