// SPDX-License-Identifier: Apache-2.0
/** The PMUs that count inside CPU cores, as sysfs describes them. One on most machines, one per core type on hybrid ones. */
import { parseCpuList } from '../host/cpu-list.js';
import { integerAt, namesIn, textAt } from '../host/values.js';

export interface CorePmu {
  /** `cpu`, `cpu_core`, `armv8_pmuv3_0`, … */
  readonly name: string;
  /** For `perf_event_attr.type`. */
  readonly pmuType: number;
  /** Where it counts; undefined: on every CPU. */
  readonly cpus: ReadonlySet<number> | undefined;
  /** name -> terms, from `events/`. */
  readonly events: ReadonlyMap<string, string>;
  /** term -> bits, from `format/`. */
  readonly formats: ReadonlyMap<string, string>;
}

/** Uncore PMUs have a `cpumask` of one CPU per package instead of `cpus`, and other names. */
const CORE_PMU = /^(?:cpu|(?:cpu|armv\d+|apple)_\w+)$/;
const EVENT_FILE = /^[\w-]+$/;

const textsIn = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    namesIn(directory)
      .filter((name) => EVENT_FILE.test(name))
      .flatMap((name): [string, string][] => {
        const text = textAt(`${directory}/${name}`);
        return text === undefined ? [] : [[name, text]];
      }),
  );

export const readCorePmus = (sysfs: string): readonly CorePmu[] => {
  const base = `${sysfs}/bus/event_source/devices`;
  return namesIn(base)
    .filter((name) => CORE_PMU.test(name))
    .flatMap((name) => {
      const pmuType = integerAt(`${base}/${name}/type`);
      if (pmuType === undefined) return [];
      const cpus = textAt(`${base}/${name}/cpus`);
      return [
        {
          name,
          pmuType: Number(pmuType),
          cpus: cpus === undefined || cpus === '' ? undefined : new Set(parseCpuList(cpus)),
          events: textsIn(`${base}/${name}/events`),
          formats: textsIn(`${base}/${name}/format`),
        },
      ];
    });
};
