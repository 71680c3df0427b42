// SPDX-License-Identifier: Apache-2.0
/** One line per event on standard error, as journald and `grep` like it: level, message, key=value. */
import type { LogLevel } from '../config/config.js';
import { escapeText } from '../model/escape.js';

export type LogFields = Readonly<Record<string, string | number | bigint | boolean>>;

export interface Logger {
  readonly error: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly info: (message: string, fields?: LogFields) => void;
  readonly debug: (message: string, fields?: LogFields) => void;
}

const RANKS: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };

/** Quoted unless it is a plain word, so that a hostile name cannot forge a second field or line. */
const fieldText = (value: LogFields[string]): string => {
  const text = String(value);
  return /^[\w./:@%+,-]+$/.test(text) ? text : JSON.stringify(text);
};

export const formatLogLine = (level: LogLevel, message: string, fields: LogFields = {}): string =>
  [
    `wattfeed: ${level}: ${escapeText(message)}`,
    ...Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`),
  ].join(' ');

/** `write` gets whole lines. */
export const createLogger = (level: LogLevel, write: (line: string) => void): Logger => {
  const at =
    (own: LogLevel) =>
    (message: string, fields?: LogFields): void => {
      if (RANKS[own] <= RANKS[level]) write(`${formatLogLine(own, message, fields)}\n`);
    };
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
};
