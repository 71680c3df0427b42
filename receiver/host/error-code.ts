// SPDX-License-Identifier: Apache-2.0
/** The errno's name out of what a Node function threw. */

/** `ENOENT`, `EACCES`, …; `otherwise` for an error that is not the system's. */
export const codeOf = (error: unknown, otherwise = 'EUNKNOWN'): string =>
  error instanceof Error && 'code' in error ? String(error.code) : otherwise;
