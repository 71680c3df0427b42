// SPDX-License-Identifier: Apache-2.0
/** Asks a web server without a pause, on several connections: web-client.mjs SOCKET */
import { Agent, get } from 'node:http';

const [socketPath] = process.argv.slice(2);
const CONNECTIONS = 32;
const RETRY_MILLIS = 50;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
let count = 0;
const ask = () => {
  const request = get({ socketPath, agent, path: `/rows/${(count += 1)}` }, (response) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => (body += chunk));
    response.on('end', () => {
      JSON.parse(body);
      ask();
    });
  });
  // Not there yet.
  request.on('error', () => setTimeout(ask, RETRY_MILLIS));
};
for (let at = 0; at < CONNECTIONS; at += 1) ask();
