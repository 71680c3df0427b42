#!/usr/bin/env -S node --min-semi-space-size=2
// SPDX-License-Identifier: Apache-2.0
/** Composition root: builds the real things and turns their outcome into an exit code. */
import { readFileSync } from 'node:fs';
import { createLogger } from './agent/logger.js';
import { systemClock } from './host/clock.js';
import { stopSignal } from './agent/stop-signal.js';
import { processIo } from './commands/io.js';
import type { ProgramDeps } from './commands/deps.js';
import { runProgram } from './commands/program.js';
import { keepWasmAsCompiledFirst } from './host/wasm-memory.js';
import { keepYoungHeapSmall } from './host/young-heap.js';

/** dist/receiver/main.js in a package, receiver/main.ts in a checkout. */
const readVersion = (): string => {
  for (const place of ['../../package.json', '../package.json']) {
    try {
      const text: unknown = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'));
      if (typeof text === 'object' && text !== null && 'version' in text)
        return String(text.version);
    } catch {
      // the other place has it
    }
  }
  return 'unknown';
};

keepYoungHeapSmall();
keepWasmAsCompiledFirst();
// Node's own answer is to open a debugger, which would be a way into a root process.
process.on('SIGUSR1', () => undefined);
const version = readVersion();
const io = processIo();
const writeLog = (line: string): void => {
  process.stderr.write(line);
};

// Each is loaded when it is run: gRPC alone takes a quarter of a second of CPU, and no viewer needs it.
const run: ProgramDeps['run'] = (config) => async () => {
  // From now on: who is told to stop while it loads ends in order as well.
  const signal = stopSignal(process);
  const { runAgent } = await import('./agent/run-agent.js');
  return runAgent(config, { version, env: process.env, writeLog, stopped: async () => signal })();
};

const measure: ProgramDeps['measure'] =
  (config, { windowMillis }) =>
  async () => {
    const { measureHere } = await import('./agent/measure-here.js');
    const logger = createLogger(config.log.level === 'info' ? 'warn' : config.log.level, writeLog);
    const sinks = { isExporting: false, isExportingThreads: false };
    return measureHere(config, { version, windowMillis, ...sinks, logger })();
  };

const check: ProgramDeps['check'] =
  (config, { json }) =>
  async () => {
    const { printCheck } = await import('./agent/print-check.js');
    return printCheck(config, { json, stdout: io.stdout })();
  };

const feed: ProgramDeps['feed'] = (config, options) => async () => {
  const { runFeed } = await import('./feed/run-feed.js');
  return runFeed(config, options, {
    write: (text) => io.stdout.write(text),
    note: writeLog,
    stopped: async () => stopSignal(process),
    monotonicNanos: systemClock.monotonicNanos,
  })();
};

const examine: ProgramDeps['examine'] = (options) => async () => {
  const { examineProcess } = await import('./agent/examine-process.js');
  return examineProcess(options)();
};

process.exitCode = await runProgram(
  { version, io, run, measure, check, feed, examine },
  process.argv.slice(2),
);
