// SPDX-License-Identifier: Apache-2.0
/** Command line of `npm run bench:truth`. */
import { parseArgs } from 'node:util';

import { SHAPES, type Shape } from '../../test/vm/harness/machine.js';

export const USAGE = `usage: npm run bench:truth -- [OPTION]...

Per mix of load on the simulated machine: the share of energy that the agent, and a plain split by CPU time of the
same windows, give to the wrong process.

  --model LIST     agents to compare, in the same boot: default (as configured by default) or a value of
                   attribution.model; NAME+floor is told the idle floor, which others learn
                   (default: default,default+floor)
  --mix LIST       numbers of mixes, e.g. 02,05 (default: all of the shape)
  --shape NAME     ${SHAPES.join(' or ')} (default: smt)
  --seconds N      per mix (default: 5)
  --igpu WATTS     eight passes of each mix, three of them with that load on the graphics unit
  --loads          what each load of each mix was given, and what it used
  --no-pmu         the simulated machine has no counters of cycles and instructions
  --json FILE      writes the rows as well
`;

export interface Options {
  readonly models: readonly string[];
  readonly mixes: readonly string[] | undefined;
  readonly shape: Shape;
  readonly seconds: number;
  readonly igpuMilliwatts: number | undefined;
  readonly hasPmu: boolean;
  readonly isDetailed: boolean;
  readonly jsonPath: string | undefined;
}

const listOf = (text: string): readonly string[] => text.split(',').filter((word) => word !== '');

const above0 = (text: string, name: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} ${text}: a number above 0`);
  return value;
};

/** Throws with one line for the user; undefined: help is wanted. */
export const parseOptions = (args: readonly string[]): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      model: { type: 'string', default: 'default,default+floor' },
      mix: { type: 'string' },
      shape: { type: 'string', default: 'smt' },
      seconds: { type: 'string', default: '5' },
      igpu: { type: 'string' },
      'no-pmu': { type: 'boolean', default: false },
      loads: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const shape = SHAPES.find((one) => one === values.shape);
  if (shape === undefined) throw new Error(`--shape ${values.shape}: one of ${SHAPES.join(', ')}`);
  return {
    models: listOf(values.model),
    mixes: values.mix === undefined ? undefined : listOf(values.mix),
    shape,
    seconds: above0(values.seconds, 'seconds'),
    igpuMilliwatts: values.igpu === undefined ? undefined : above0(values.igpu, 'igpu') * 1000,
    hasPmu: !values['no-pmu'],
    isDetailed: values.loads,
    jsonPath: values.json,
  };
};
