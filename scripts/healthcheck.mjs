// SPDX-License-Identifier: Apache-2.0
// HEALTHCHECK of the container image: exits 0 when a new window arrives over the agent's socket, 1
// with one line when none does. Plain JavaScript, because the image holds only what is packed.
// usage: node healthcheck.mjs [SOCKET]
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

/** Below the HEALTHCHECK's own 15 s; a window longer than this needs another check. */
const TIMEOUT_MILLIS = 12_000;
const path = process.argv[2] ?? '/run/wattfeed/agent.sock';

const end = (exitCode, line) => {
  console.log(line);
  process.exit(exitCode);
};

const socket = connect(path);
socket.on('error', (error) => end(1, `join ${path}: ${error.code ?? error.message}`));
socket.on('close', () => end(1, `join ${path}: the agent hung up`));
setTimeout(() => end(1, `join ${path}: no window for ${TIMEOUT_MILLIS / 1000} s`), TIMEOUT_MILLIS);
socket.write('{"request":"subscribe"}\n');
createInterface({ input: socket }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'report' && message.report !== null) end(0, 'a window arrived');
  if (message.type === 'end') end(1, `the agent ends: ${message.reason}`);
});
