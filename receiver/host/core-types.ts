// SPDX-License-Identifier: Apache-2.0
/**
 * Core types of hybrid CPUs. Each type has its own core PMU, whose `cpus` file lists where it counts:
 * `cpu_core`, `cpu_atom`, `cpu_lowpower` on Intel, `armv8_cortex_a76` and the like on big.LITTLE.
 */
import * as E from 'fp-ts/lib/Either.js';
import { parseCpuList } from './cpu-list.js';
import { readText } from './files.js';
import { namesIn } from './values.js';

/** Not `cpu` (the one PMU of a uniform CPU), not uncore PMUs, which have a `cpumask` instead. */
const CORE_PMU = /^(?:cpu|armv\d+|apple)_(.+)$/;

/** cpu -> core type; empty where all cores are of one kind. */
export const readCoreTypes = (sysfs: string): ReadonlyMap<number, string> => {
  const types = new Map<number, string>();
  for (const directory of [`${sysfs}/devices`, `${sysfs}/bus/event_source/devices`]) {
    const names = namesIn(directory);
    for (const name of names) {
      const type = CORE_PMU.exec(name)?.[1];
      if (type === undefined) continue;
      const cpus = readText(`${directory}/${name}/cpus`);
      if (E.isLeft(cpus)) continue;
      for (const cpu of parseCpuList(cpus.right)) types.set(cpu, type);
    }
  }
  return new Set(types.values()).size > 1 ? types : new Map();
};
