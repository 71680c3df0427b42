// SPDX-License-Identifier: Apache-2.0
/** Answers requests on a socket with what it computes: web-server.mjs SOCKET */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const [path] = process.argv.slice(2);
createServer((request, response) => {
  const rows = Array.from({ length: 50 }, (_, id) => ({ id, name: `row ${id}`, at: request.url }));
  const body = JSON.stringify(rows);
  const etag = createHash('sha1').update(body).digest('hex');
  response.writeHead(200, { 'content-type': 'application/json', etag }).end(body);
}).listen(path);
