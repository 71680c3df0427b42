// SPDX-License-Identifier: Apache-2.0
/** Keys of the power feed and of what it says about budgets: see docs/power-feed.md. */
import { z } from 'zod';
import { key } from './key-notes.js';

/** `container:4f5e6a7b8c9d`, `unit:batch.service`, `path:/kubepods.slice`, `name:jobs`. */
const MATCH = String.raw`(?:path:/[^\s,]*|container:[0-9a-f]{12,64}|unit:[^\s,]+|name:[^\s,]+)`;
const MATCH_TEXT = 'path:/PATH, container:ID, unit:NAME or name:NAME';
const BUDGET = new RegExp(`^${MATCH} \\d{1,6}(?:\\.\\d{1,3})? ?W(?: burst \\d{1,5}ms)?(?: soft)?$`);

export const policySchema = z.strictObject({
  feed: key(z.boolean().default(false), {
    description:
      'Publish the power feed for the scheduler in pinned maps below agent.pin_directory.',
    reason: 'Off: it costs at each task switch, and needs a scheduler that reads it.',
  }),
  validity_windows: key(z.int().min(2).max(60).default(3), {
    description: 'A generation of the feed holds for this many windows; then readers ignore it.',
    reason: 'One window may be late; after three the agent is gone.',
  }),
  budgets: key(
    z
      .array(
        z.string().regex(BUDGET, {
          error: `must be like "unit:batch.service 20W burst 2000ms soft", with ${MATCH_TEXT}`,
        }),
      )
      .default([]),
    {
      description: `Power budgets of cgroups, one line each: ${MATCH_TEXT}, then the power in W (package energy of it and all below), then optionally \`burst MILLIS\` (energy of that long may be used ahead; 1000ms if not given) and \`soft\` (over budget it yields to others but may use idle CPUs).`,
      reason: 'None: a budget is a decision of yours.',
    },
  ),
  batch: key(
    z
      .array(z.string().regex(new RegExp(`^${MATCH}$`), { error: `must be ${MATCH_TEXT}` }))
      .default([]),
    {
      description: `Cgroups that may be held back so that packages stay below their power limit: ${MATCH_TEXT}.`,
      reason: 'None: only you know what can wait.',
    },
  ),
  headroom_percent: key(z.number().min(0).max(90).default(5), {
    description: "Part of a package's power limit that batch work leaves free, in percent.",
    reason:
      'RAPL throttles on an average over its window: a little below it nothing is slowed down.',
  }),
  layered_hints: key(
    z
      .string()
      .regex(/^\/[^\0]*$/, { error: 'must be an absolute path' })
      .optional(),
    {
      description:
        "Pin of scx_layered's task hint map (its --task-hint-map): threads of cgroups over budget, and threads that spin, get a hint there.",
      reason: 'Not set: nothing is written.',
      example: '/sys/fs/bpf/scx_layered_hints',
    },
  ),
});
