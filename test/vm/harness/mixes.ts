// SPDX-License-Identifier: Apache-2.0
/** How test/vm/guest/agent-mixes.mjs is asked. */
import type { Shape } from './machine.js';

/** One start of the agent. `config` is YAML, added to what the scenario sets. */
export interface AgentRun {
  readonly name: string;
  readonly config?: string;
  /** Numbers of mixes; absent: all of the shape. */
  readonly mixes?: readonly string[];
  /** Milliwatts of the graphics unit in a second pass of each mix. */
  readonly igpu?: number;
  /** Commands for the simulated machine before the start, e.g. `part pmu off`. */
  readonly control?: readonly string[];
}

export interface MixSpec {
  readonly shape: Shape;
  readonly seconds: number;
  readonly runs: readonly AgentRun[];
}

/** The command for the machine; the text is quoted for bash. */
export const mixesScript = (spec: MixSpec): string => {
  const text = JSON.stringify(spec).replaceAll("'", "'\\''");
  // in time for each window's end, whatever the load; what it starts has the usual policy
  return (
    'insmod /vm/simhw/simhw.ko && ' +
    `exec chrt --reset-on-fork --fifo 10 node /vm/guest/agent-mixes.mjs '${text}'`
  );
};

/** `default` is the agent as it is configured by default. */
export const runOfModel = (model: string): AgentRun =>
  model === 'default'
    ? { name: model }
    : { name: model, config: `attribution:\n  model: ${model}` };
