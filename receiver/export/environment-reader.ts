// SPDX-License-Identifier: Apache-2.0
/** OTEL_ variables one by one, with what is wrong with them kept for the end. */
import type { Complaint } from '../model/errors.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** setInterval cannot wait longer. */
const MAX_MILLIS = 2_147_483_647;
/**
 * The shortest interval and the shortest time-outs. An export of 1,000 series takes some 10 ms of CPU and a
 * collector on another host some 10 ms to answer: with less, the agent would do nothing but export, or
 * every export would fail.
 */
export const MIN_MILLIS = 100;

/** Reads variables as the specification says: blank is unset, the signal's own wins. */
export class EnvironmentReader {
  readonly warnings: Complaint[] = [];
  readonly errors: Complaint[] = [];

  constructor(private readonly env: Environment) {}

  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  /** OTEL_EXPORTER_OTLP_METRICS_X, else OTEL_EXPORTER_OTLP_X: name and value. */
  otlp(suffix: string): readonly [name: string, value: string] | undefined {
    for (const name of [`OTEL_EXPORTER_OTLP_METRICS_${suffix}`, `OTEL_EXPORTER_OTLP_${suffix}`]) {
      const value = this.text(name);
      if (value !== undefined) return [name, value];
    }
    return undefined;
  }

  millis(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const millis = Number(value);
    if (!Number.isInteger(millis) || millis <= 0 || millis > MAX_MILLIS) {
      this.warn(name, value, 'not a whole number of milliseconds above 0', 'the default is used');
      return undefined;
    }
    if (millis >= MIN_MILLIS) return millis;
    this.warn(name, value, `shorter than ${MIN_MILLIS} ms`, `${MIN_MILLIS} ms is used`);
    return MIN_MILLIS;
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name)?.toLowerCase();
    const found = choices.find((choice) => choice === value);
    if (found === undefined && value !== undefined) {
      this.warn(name, value, `not one of ${choices.join(', ')}`, 'the default is used');
    }
    return found;
  }

  warn(name: string, value: string, cause: string, remedy: string): void {
    this.warnings.push({ what: `read ${name}=${value}`, cause, remedy });
  }

  fail(what: string, cause: string, remedy: string): void {
    this.errors.push({ what, cause, remedy });
  }
}
