// SPDX-License-Identifier: Apache-2.0
/** How test/vm/guest/accounting.mjs is asked, and what it wrote. */
import { z } from 'zod';

import type { Run } from './files.js';

/** One time that the product's accounting is loaded and attached, and what it then counts. */
export interface AccountingRun {
  readonly name: string;
  readonly counters: 'none' | 'software' | 'hardware';
  /** Run by bash while it counts. */
  readonly command: string;
  /** Where the power feed's pins are made; without it there is no feed. */
  readonly feed?: string;
  /** Run by bash around it, with nothing attached. */
  readonly before?: string;
  readonly after?: string;
}

/** The command for the machine: one process for all runs. The text is quoted for bash. */
export const accountingScript = (runs: readonly AccountingRun[]): string =>
  `node /vm/product/dist/receiver/accounting.js '${JSON.stringify(runs).replaceAll("'", "'\\''")}'`;

const count = z.number();

const accountingReport = z.object({
  release: z.string(),
  code: count,
  features: z.array(z.object({ name: z.string(), isAvailable: z.boolean(), detail: z.string() })),
  totals: z.object({
    windows: count,
    taskNanos: count,
    rowNanos: count,
    unslottedNanos: count,
    countedNanos: count,
    multiplexedNanos: count,
    counterFailures: count,
    stats: z.record(z.string(), count),
  }),
  feed: z
    .object({
      status: count,
      pins: z.array(z.string()),
      longest: z.object({
        tid: count,
        comm: z.string(),
        runNanos: count,
        runMicrowatts: count,
      }),
    })
    .optional(),
  counterFaults: z.array(z.object({ cpu: count, kind: z.string(), code: z.string() })),
  threads: z.array(
    z.object({
      tid: count,
      startNanos: z.string(),
      comm: z.string(),
      runtimeNanos: count,
      sliceNanos: count,
      overlapNanos: count,
      uncountedNanos: count,
      cycles: count,
      instructions: count,
      llcMisses: count,
      vectorOps: count,
      packageOnNanos: count,
    }),
  ),
  programs: z.array(z.object({ name: z.string(), verifiedInstructions: count })),
  programsLeft: z.array(z.string()),
});

export type AccountingReport = z.infer<typeof accountingReport>;

export const readAccounting = (run: Run, name: string): AccountingReport =>
  accountingReport.parse(JSON.parse(run.text(`${name}.json`)));
