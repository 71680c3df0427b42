// SPDX-License-Identifier: Apache-2.0
/** How test/vm/guest/agent-mixes.mjs is asked. */
import type { Shape } from './machine.js';

/** One start of the agent. `config` is YAML, added to what the scenario sets. */
export interface AgentRun {
  readonly name: string;
  readonly config?: string;
  /** Numbers of mixes; absent: all of the shape. */
  readonly mixes?: readonly string[];
  /** Load of the graphics unit in the second of three passes of these mixes; absent `mixes`: all. */
  readonly igpu?: { readonly milliwatts: number; readonly mixes?: readonly string[] };
  /** `energy.idle_watts`; absent: the agent learns it. */
  readonly idleWatts?: number;
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

/** What a package of the simulated machine draws for nothing; see docs/simulated-machine.md. */
const FLOOR_WATTS = 13;
const WITH_FLOOR = '+floor';

/** `default` is the agent as it is configured by default; with `+floor` behind the name it is told the idle floor. */
export const runOfModel = (name: string): AgentRun => {
  const isTold = name.endsWith(WITH_FLOOR);
  const model = isTold ? name.slice(0, -WITH_FLOOR.length) : name;
  return {
    name,
    ...(isTold ? { idleWatts: FLOOR_WATTS } : {}),
    ...(model === 'default' ? {} : { config: `attribution:\n  model: ${model}` }),
  };
};
