// SPDX-License-Identifier: Apache-2.0
/**
 * Reads what the RAPL PMUs of perf offer: `power` (per die on Intel, per package on AMD) and
 * `power_core` (AMD, one counter per core). Layout as in sysfs-bus-event_source-devices-events.
 */
import { parseCpuList } from '../host/cpu-list.js';
import type { EnergyUnit } from './energy-unit.js';
import { parseEnergyUnit } from './energy-unit.js';
import { integerAt, namesIn, textAt } from '../host/values.js';

export interface PerfEnergyEvent {
  /** `energy-pkg`. */
  readonly name: string;
  readonly config: bigint;
  /** undefined: no scale, or a unit other than joules; reported, not used. */
  readonly unit: EnergyUnit | undefined;
  /** As written in sysfs, for messages. */
  readonly scaleText: string;
}

export interface PerfPowerPmu {
  readonly pmu: 'power' | 'power_core';
  readonly pmuType: number;
  readonly events: readonly PerfEnergyEvent[];
  /** One CPU per die, package or core: where an event has to be opened. Empty where sysfs does not say. */
  readonly cpus: readonly number[];
}

/** `config:0-7` -> 0; where the event's number goes inside `perf_event_attr.config`. */
const formatShift = (directory: string, term: string): bigint => {
  const match = /^config:(\d+)/.exec(textAt(`${directory}/format/${term}`) ?? '');
  return BigInt(match?.[1] ?? 0);
};

/** `event=0x02` or `event=0x02,umask=0x1`; undefined if a term is not a number. */
const parseConfig = (directory: string, text: string): bigint | undefined => {
  let config = 0n;
  for (const term of text.split(',')) {
    const match = /^\s*(\w+)\s*=\s*(0x[0-9a-f]+|\d+)\s*$/i.exec(term);
    if (match?.[1] === undefined || match[2] === undefined) return undefined;
    config |= BigInt(match[2]) << formatShift(directory, match[1]);
  }
  return config;
};

const readEvent = (directory: string, name: string): readonly PerfEnergyEvent[] => {
  const path = `${directory}/events/${name}`;
  const config = parseConfig(directory, textAt(path) ?? '');
  if (config === undefined) return [];
  const scaleText = textAt(`${path}.scale`) ?? '';
  const isJoules = /^joules?$/i.test(textAt(`${path}.unit`) ?? '');
  return [{ name, config, scaleText, unit: isJoules ? parseEnergyUnit(scaleText) : undefined }];
};

const readPmu = (sysfs: string, pmu: PerfPowerPmu['pmu']): readonly PerfPowerPmu[] => {
  const directory = `${sysfs}/bus/event_source/devices/${pmu}`;
  const pmuType = integerAt(`${directory}/type`);
  if (pmuType === undefined) return [];
  const events = namesIn(`${directory}/events`)
    .filter((entry) => /^energy-[a-z]+$/.test(entry))
    .flatMap((entry) => readEvent(directory, entry));
  const cpus = parseCpuList(textAt(`${directory}/cpumask`) ?? '');
  return [{ pmu, pmuType: Number(pmuType), events, cpus }];
};

export const readPerfPower = (sysfs: string): readonly PerfPowerPmu[] => [
  ...readPmu(sysfs, 'power'),
  ...readPmu(sysfs, 'power_core'),
];
