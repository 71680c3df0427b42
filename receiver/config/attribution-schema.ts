// SPDX-License-Identifier: Apache-2.0
/** Keys of how energy is split: see docs/attribution.md. */
import { z } from 'zod';
import { key } from './key-notes.js';

export const ATTRIBUTION_MODELS = ['counters', 'time', 'seed'] as const;
export const IDLE_POLICIES = ['none', 'equal', 'active', 'request'] as const;
export const RESERVATION_SOURCES = ['weight', 'max'] as const;
export const DRAM_SPLITS = ['misses', 'rss', 'time'] as const;
export const SWITCHES = ['off', 'on'] as const;

export const attributionSchema = z.strictObject({
  model: key(z.enum(ATTRIBUTION_MODELS).default('counters'), {
    description:
      "How a package's active energy is split: by hardware `counters` (slices without a reading by time), by `time` (frequency and shared cores corrected), or by the `seed` article's formula.",
    reason:
      'The counter model errs least by far; without counters it is the time model by itself, and the label says so.',
  }),
  idle_policy: key(z.enum(IDLE_POLICIES).default('none'), {
    description:
      'Who pays for idle energy: `none` (a bucket of its own), `equal` (each process that ran), `active` (as the active energy), `request` (as cgroups have reserved).',
    reason: 'Idle energy has no right owner; a process would be charged for its neighbours’ sleep.',
  }),
  request_source: key(z.enum(RESERVATION_SOURCES).default('weight'), {
    description:
      'What counts as reserved for idle_policy `request`: `weight` (cpu.weight or cpu.shares, which Kubernetes makes of requests) or `max` (the quota of cpu.max, which it makes of limits).',
    reason: 'Requests are what a scheduler keeps free for a workload.',
  }),
  calibrate: key(z.boolean().default(true), {
    description:
      "Learn the counter model's coefficients from the package's own energy counter while running.",
    reason: 'A fit is used only while it predicts better than the defaults; otherwise it is idle.',
  }),
  seed: z
    .strictObject({
      alpha: key(z.number().min(0).max(1).default(0.3), {
        description: 'Model `seed`: weight of instructions per cycle above the base, α.',
        reason: 'The middle of the 0.2 to 0.5 that the article gives.',
      }),
      base_ipc: key(z.number().min(0).max(8).default(1), {
        description: 'Model `seed`: instructions per cycle at which CPU time counts as it is.',
        reason: 'An ordinary mean; the article asks for the platform’s own.',
      }),
    })
    .prefault({}),
});

export const dramSchema = z.strictObject({
  split: key(z.enum(DRAM_SPLITS).default('misses'), {
    description:
      'How memory energy is split: by cache `misses` and the place of the memory, by resident memory (`rss`), or by CPU `time`.',
    reason:
      'Misses are the traffic; without a counter of them it is `time`. Resident memory charges large sleeping heaps.',
  }),
  model: key(z.enum(SWITCHES).default('off'), {
    description:
      'Where no counter measures memory: `on` predicts its energy from cache misses, labelled modelled; it is never added to a measured total.',
    reason: 'Absent is the honest figure; a prediction is only as good as a guess of the modules.',
  }),
  background_watts: key(z.number().min(0).max(100_000).default(4), {
    description: 'dram.model: power of the memory of one package when nothing uses it, in watts.',
    reason: 'Four idle modules of about 1 W (measured on DDR4 by McCalpin).',
  }),
  line_nanojoules: key(z.number().min(0).max(1000).default(15), {
    description: 'dram.model: energy of one 64-byte line, in nanojoules.',
    reason: '12 to 17 nJ were measured on DDR4 servers.',
  }),
});
