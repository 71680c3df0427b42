// SPDX-License-Identifier: Apache-2.0
/** What a worker can be asked for: plain data in, plain data out. */
import { z } from 'zod';
import { runExperiment, type ExperimentResult } from './experiment.js';
import { runCuts, type CutResult } from './cuts.js';
import { MIXES } from './sim/mixes.js';

export const taskSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('machine'),
    seed: z.int(),
    spread: z.number(),
    mixes: z.array(z.string()),
    windowMillis: z.int(),
    trainSeconds: z.number(),
    steadySeconds: z.number(),
    scoreSeconds: z.number(),
  }),
  z.object({ kind: z.literal('cuts'), seed: z.int(), seconds: z.number() }),
]);

export type Task = z.infer<typeof taskSchema>;
export type MachineTask = Extract<Task, { kind: 'machine' }>;

export type TaskResult =
  | { readonly kind: 'machine'; readonly task: MachineTask; readonly result: ExperimentResult }
  | { readonly kind: 'cuts'; readonly result: CutResult };

export const runTask = (task: Task): TaskResult =>
  task.kind === 'cuts'
    ? { kind: 'cuts', result: runCuts(task) }
    : {
        kind: 'machine',
        task,
        result: runExperiment({
          ...task,
          mixes: MIXES.filter(({ id }) => task.mixes.includes(id)),
        }),
      };
