// SPDX-License-Identifier: Apache-2.0
/**
 * Finds energy and power sensors below `/sys/class/hwmon` and says which are a CPU's, which the whole
 * machine's, and which are neither (GPU, disk, network card). Attribute names as in
 * Documentation/hwmon/sysfs-interface.rst: energyN_input in uJ, powerN_average and powerN_input in uW.
 */
import type { EnergyDomainKind } from '../model/energy-domain.js';
import { meaningOfSensor } from './hwmon-rules.js';
import { namesIn, textAt } from '../host/values.js';

export interface HwmonSensor {
  /** `hwmon/power_meter/power1` plus the label where it is needed to be unique; stable over restarts. */
  readonly id: string;
  readonly chip: string;
  /** `power1_average`. */
  readonly attribute: string;
  readonly label: string;
  readonly quantity: 'energy' | 'power';
  readonly path: string;
  /** undefined: not a CPU's and not the machine's; `why` says so. */
  readonly kind: EnergyDomainKind | undefined;
  readonly packageId: number | undefined;
  readonly why: string;
}

/** The best attribute per channel: a driver's own average over an instant. */
const preferredAttributes = (names: readonly string[]): readonly string[] => {
  const channels = new Map<string, string>();
  for (const name of names) {
    const match = /^((?:energy|power)\d+)_(input|average)$/.exec(name);
    if (match?.[1] === undefined) continue;
    if (match[2] === 'average' || !channels.has(match[1])) channels.set(match[1], name);
  }
  return [...channels.values()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
};

const labelOf = (directory: string, channel: string): string =>
  textAt(`${directory}/${channel}_label`) ?? textAt(`${directory}/${channel}_oem_info`) ?? '';

const sensorsIn = (directory: string, chip: string): readonly Omit<HwmonSensor, 'id'>[] =>
  preferredAttributes(namesIn(directory)).map((attribute) => {
    const channel = attribute.replace(/_.*/, '');
    const label = labelOf(directory, channel);
    const quantity = attribute.startsWith('energy') ? 'energy' : 'power';
    return {
      chip,
      attribute,
      label,
      quantity,
      path: `${directory}/${attribute}`,
      ...meaningOfSensor(chip, label, quantity),
    };
  });

/** Two chips of one name (one ACPI meter per socket) are told apart by label, else by their order. */
const withIds = (sensors: readonly Omit<HwmonSensor, 'id'>[]): readonly HwmonSensor[] => {
  const seen = new Map<string, number>();
  return sensors.map((sensor) => {
    const channel = sensor.attribute.replace(/_.*/, '');
    const slug = sensor.label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const base = `hwmon/${sensor.chip}/${slug === '' ? channel : slug}`;
    const count = (seen.get(base) ?? 0) + 1;
    seen.set(base, count);
    return { ...sensor, id: count === 1 ? base : `${base}#${String(count)}` };
  });
};

export const readHwmon = (sysfs: string): readonly HwmonSensor[] => {
  const root = `${sysfs}/class/hwmon`;
  const chips = [...namesIn(root)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const sensors = chips.flatMap((entry) => {
    const directory = `${root}/${entry}`;
    const chip = textAt(`${directory}/name`) ?? textAt(`${directory}/device/name`) ?? entry;
    const own = sensorsIn(directory, chip);
    // Drivers older than the hwmon core's groups, the ACPI meter among them, keep attributes in device/.
    return own.length > 0 ? own : sensorsIn(`${directory}/device`, chip);
  });
  return withIds(sensors);
};
