// SPDX-License-Identifier: Apache-2.0
/**
 * The agent in the simulated machine, and everything that a test needs to judge it: its reports from the
 * socket, the truth before and after, the counters' readings, what was done when. Used by the scenarios beside it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const SIMHW = '/sys/kernel/debug/simhw';
const MAIN = '/vm/product/dist/receiver/main.js';
// a start takes many seconds of CPU time under TCG; the host ends a machine that hangs
const CONNECT_LIMIT_MILLIS = 600_000;

export const out = (name) => `/vm/out/${name}`;
export const control = (...words) => writeFileSync(`${SIMHW}/control`, words.join(' '));
/** debugfs files have no size: read, then write. */
export const save = (source, name) => writeFileSync(out(name), readFileSync(`${SIMHW}/${source}`));
export const truth = (name) => save('truth', `${name}.truth`);
export const now = () => process.hrtime.bigint().toString(); // CLOCK_MONOTONIC, as the reports' times

const LOAD = '/vm/simhw/simload';

/**
 * A load of the machine, begun on that CPU and in that cgroup where given: `isLoad` waits until it has the name of
 * the load, `stop` ends it.
 */
export const load = ({ cpu, cgroup }, ...words) => {
  const begin = cgroup === undefined ? '' : `echo $$ >${cgroup} && `;
  const bound = cpu === undefined ? '' : `taskset -c ${cpu} `;
  const child = spawn(
    'bash',
    ['-c', `${begin}exec ${bound}${LOAD} "$@"`, 'load', ...words.map(String)],
    {
      stdio: 'ignore',
    },
  );
  const ended = once(child, 'exit');
  return {
    pid: child.pid,
    isLoad: async () => {
      while (readFileSync(`/proc/${child.pid}/comm`, 'utf8').trim() !== words[0]) await pause(20);
    },
    stop: () => (child.kill('SIGTERM'), ended),
  };
};

const connect = async (path, hasEnded) => {
  const deadline = performance.now() + CONNECT_LIMIT_MILLIS;
  for (;;) {
    const socket = createConnection(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (hasEnded()) throw new Error('the agent ended before it answered; see its log');
      if (performance.now() > deadline) throw new Error(`no agent on ${path}: ${error.message}`);
      await pause(100);
    }
  }
};

/**
 * Starts `wattfeed run` with one energy source and follows its reports. `name` marks the files, the socket and the
 * pins, so that two may run side by side.
 */
export const startAgent = async (name, { sources, windowMillis, idleWatts, config: more = '' }) => {
  const config = `/tmp/${name}.yaml`;
  const socketPath = `/run/wattfeed-${name}/agent.sock`;
  writeFileSync(
    config,
    [
      `window_millis: ${windowMillis}`,
      `energy:\n  sources: ${JSON.stringify(sources)}`,
      ...(idleWatts === undefined ? [] : [`  idle_watts: ${idleWatts}`]),
      `agent:\n  socket_path: ${socketPath}\n  pin_directory: /sys/fs/bpf/wattfeed-${name}`,
      `  state_directory: /run/wattfeed-${name}/state`,
      'export:\n  enabled: false',
      more,
      '',
    ].join('\n'),
  );
  const log = openSync(out(`${name}.log`), 'w');
  // before the loads, as a service manager would put it: under TCG they take all there is
  const agent = spawn('nice', ['-n', '-10', 'node', MAIN, 'run', '--config', config], {
    stdio: ['ignore', log, log],
  });
  const ended = once(agent, 'exit');
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const socket = await connect(socketPath, () => hasEnded);
  const reports = [];
  const waiting = [];
  writeFileSync(out(`${name}.ndjson`), '');
  createInterface({ input: socket }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.type !== 'report' || message.report === null) return;
    reports.push(message.report);
    appendFileSync(out(`${name}.ndjson`), `${JSON.stringify(message.report)}\n`);
    for (const wake of waiting.splice(0)) wake();
  });
  socket.on('error', () => undefined);
  socket.write(`${JSON.stringify({ id: 1, request: 'subscribe' })}\n`);
  const nextReport = () => new Promise((resolve) => waiting.push(resolve));
  return {
    pid: agent.pid,
    reports,
    /** Waits for that many windows that end after this call; on a busy host older ones still arrive. */
    windows: async (count) => {
      const from = process.hrtime.bigint();
      const later = () => reports.filter((report) => BigInt(report.window.endNanos) > from);
      while (later().length < count) {
        if (hasEnded) throw new Error('the agent ended by itself');
        await Promise.race([nextReport(), ended]);
      }
      return reports.at(-1);
    },
    stop: async () => {
      agent.kill('SIGTERM');
      const [code] = await ended;
      socket.destroy();
      return code;
    },
  };
};
