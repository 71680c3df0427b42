// SPDX-License-Identifier: Apache-2.0
/** The HTTP server in front of the metrics: one path, two methods, and bounded whatever connects. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { codeOf } from '../host/error-code.js';
import type { ScrapeAddress } from './scrape-address.js';

const PATH = '/metrics';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** A handful scrapes a node. Each answer lies in memory until it is read: a thousand took 120 MiB for good. */
const MOST_CONNECTIONS = 128;
/** For the whole of a request, and for a reader that does not read on. */
const PATIENCE_MILLIS = 10_000;
const CHECKS_PER_PATIENCE = 5;

export type AnswerScrape = (request: IncomingMessage, response: ServerResponse) => void;

export interface ScrapeServer {
  readonly stop: () => Promise<void>;
}

const refuse = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
): void => {
  response.writeHead(status, headers).end();
};

const route =
  (answer: AnswerScrape) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== PATH) refuse(response, 404, {});
    else if (!METHODS.has(request.method ?? '')) refuse(response, 405, { Allow: 'GET, HEAD' });
    else answer(request, response);
  };

const stopServer = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
};

/** Left: the error's code, e.g. EADDRINUSE. */
export const startScrapeServer =
  (
    { host, port }: ScrapeAddress,
    answer: AnswerScrape,
    patienceMillis = PATIENCE_MILLIS,
  ): TE.TaskEither<string, ScrapeServer> =>
  async () => {
    const server = createServer(
      {
        headersTimeout: patienceMillis,
        requestTimeout: patienceMillis,
        connectionsCheckingInterval: patienceMillis / CHECKS_PER_PATIENCE,
      },
      route(answer),
    );
    server.maxConnections = MOST_CONNECTIONS;
    server.setTimeout(patienceMillis);
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (error) {
      return E.left(codeOf(error, String(error)));
    }
    return E.right({ stop: async () => stopServer(server) });
  };
