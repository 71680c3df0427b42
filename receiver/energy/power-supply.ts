// SPDX-License-Identifier: Apache-2.0
/**
 * Finds batteries below `/sys/class/power_supply`. While they discharge they carry the whole machine.
 * Attributes as in Documentation/ABI/testing/sysfs-class-power: power_now uW, current_now uA, voltage_now uV.
 */
import { namesIn, textAt } from '../host/values.js';

export interface Battery {
  /** `BAT0`. */
  readonly name: string;
  readonly directory: string;
  /** Discharging, Charging, Full, … at the time of the probe. */
  readonly status: string;
  /** `undefined`: it tells neither power nor current and voltage. */
  readonly inputs: 'power' | 'current-voltage' | undefined;
}

export const readBatteries = (sysfs: string): readonly Battery[] => {
  const root = `${sysfs}/class/power_supply`;
  return namesIn(root).flatMap((name) => {
    const directory = `${root}/${name}`;
    // Mice and headsets have batteries too: scope Device.
    const isBattery = textAt(`${directory}/type`) === 'Battery';
    if (!isBattery || textAt(`${directory}/scope`) === 'Device') return [];
    const has = (attribute: string): boolean => textAt(`${directory}/${attribute}`) !== undefined;
    const inputs = has('power_now')
      ? 'power'
      : has('current_now') && has('voltage_now')
        ? 'current-voltage'
        : undefined;
    return [{ name, directory, status: textAt(`${directory}/status`) ?? 'Unknown', inputs }];
  });
};
