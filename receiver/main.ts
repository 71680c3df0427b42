#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
/** Composition root: builds the real things and turns their outcome into an exit code. */
import { readFileSync } from 'node:fs';
import { printCheck } from './agent/print-check.js';
import { createLogger } from './agent/logger.js';
import { measureHere } from './agent/measure-here.js';
import { runAgent } from './agent/run-agent.js';
import { stopSignal } from './agent/stop-signal.js';
import { processIo } from './commands/io.js';
import { runProgram } from './commands/program.js';

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

const version = readVersion();
const io = processIo();
const writeLog = (line: string): void => {
  process.stderr.write(line);
};

process.exitCode = await runProgram(
  {
    version,
    io,
    run: (config) =>
      runAgent(config, {
        version,
        env: process.env,
        writeLog,
        stopped: async () => stopSignal(process),
      }),
    measure: (config, { windowMillis }) =>
      measureHere(config, {
        version,
        windowMillis,
        isExporting: false,
        isExportingThreads: false,
        logger: createLogger(config.log.level === 'info' ? 'warn' : config.log.level, writeLog),
      }),
    check: (config, { json }) => printCheck(config, { json, stdout: io.stdout }),
  },
  process.argv.slice(2),
);
