// SPDX-License-Identifier: Apache-2.0
/**
 * What a user may be told. Every layer has its own union; where one reaches a person it becomes a
 * Complaint: lower case `verb object: cause; remedy`. Only main.ts turns one into an exit code.
 */
export interface Complaint {
  /** e.g. `read intel-rapl:0/energy_uj`. */
  readonly what: string;
  /** e.g. `EACCES`. */
  readonly cause: string;
  /** What to do about it; empty only where nothing can be done. */
  readonly remedy: string;
  /** The user asked for something that cannot be: exit code 2. */
  readonly isUsage?: true;
}

export const complaintText = ({ what, cause, remedy }: Complaint): string =>
  remedy === '' ? `${what}: ${cause}` : `${what}: ${cause}; ${remedy}`;

/** Exit codes: 0 fine, 1 failed, 2 usage. */
export const EXIT_FINE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** For `switch` over tagged unions: unreachable if every member is handled. */
export const assertNever = (value: never): never => {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
};
