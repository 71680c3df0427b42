// SPDX-License-Identifier: Apache-2.0
/**
 * Windows wait until every source that is read at its own times has a reading behind their end, and get
 * its value there by interpolation. Pure.
 */
import type { EnergyPlan, PlannedDomain } from '../energy/plan-types.js';
import type { ActivityWindow, RawReading } from '../model/activity.js';
import { nanos, type Nanos } from '../model/units.js';
import { valueAt, type TimedValue } from './interpolate.js';

/** A source that has been silent for so many windows holds up no window any more. */
const MOST_WAITING = 60;

interface FreeZone {
  readonly planned: PlannedDomain;
  /** In order of time; those before the last window's end are dropped but one. */
  readonly values: TimedValue[];
}

const reading = (text: string, errno: number, atNanos: Nanos): RawReading => ({
  _tag: 'FileReading',
  text,
  textLength: text.length,
  errno,
  beforeNanos: atNanos,
  afterNanos: atNanos,
});

/** ENODATA: the source was not read around this time. */
const NOT_READ_ERRNO = 61;

const valueOf = ({ planned, values }: FreeZone, atNanos: Nanos): bigint | undefined => {
  const next = values.findIndex((value) => value.atNanos >= atNanos);
  const after = values[next];
  if (after === undefined) return undefined;
  if (after.atNanos === atNanos) return after.value;
  const before = values[next - 1];
  if (before === undefined) return undefined;
  const { measure } = planned;
  const maxRaw = measure._tag === 'Counter' ? measure.shape.maxRaw : undefined;
  return valueAt(before, after, atNanos, maxRaw, measure._tag === 'Counter');
};

export class FreeReadings<Item extends { readonly window: ActivityWindow }> {
  private readonly zones: ReadonlyMap<string, FreeZone>;
  private waiting: Item[] = [];

  public constructor(
    private readonly plan: EnergyPlan,
    freeIds: ReadonlySet<string>,
  ) {
    this.zones = new Map(
      plan.domains
        .filter(({ domain }) => freeIds.has(domain.id))
        .map((planned) => [planned.domain.id, { planned, values: [] }]),
    );
  }

  /** False: the trace's header knows no such source, or the time goes backwards. */
  public add(zoneId: string, value: TimedValue): boolean {
    const zone = this.zones.get(zoneId);
    const last = zone?.values.at(-1);
    if (zone === undefined || (last !== undefined && value.atNanos <= last.atNanos)) return false;
    zone.values.push(value);
    return true;
  }

  public push(item: Item): void {
    this.waiting.push(item);
  }

  /** Windows that need wait no longer, in order, with the readings of all sources in the plan's order. */
  public ready(isEnd = false): readonly Item[] {
    let count = 0;
    for (const { window } of this.waiting) {
      const isTooMany = this.waiting.length - count > MOST_WAITING;
      if (!isEnd && !isTooMany && !this.isKnownAt(window.endNanos)) break;
      count += 1;
    }
    const done = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    return this.zones.size === 0 ? done : done.map((item) => this.filled(item));
  }

  private isKnownAt(atNanos: Nanos): boolean {
    return [...this.zones.values()].every(({ values }) => {
      const last = values.at(-1);
      return last !== undefined && last.atNanos >= atNanos;
    });
  }

  private filled(item: Item): Item {
    const { readings, endNanos } = item.window;
    let next = 0;
    const all = this.plan.domains.flatMap(({ domain, specs }) => {
      const zone = this.zones.get(domain.id);
      if (zone === undefined) {
        const own = readings.slice(next, next + specs.length);
        next += specs.length;
        return own;
      }
      const value = valueOf(zone, endNanos);
      this.forget(zone, endNanos);
      return [
        value === undefined
          ? reading('', NOT_READ_ERRNO, nanos(endNanos))
          : reading(String(value), 0, nanos(endNanos)),
      ];
    });
    return { ...item, window: { ...item.window, readings: all } };
  }

  private forget({ values }: FreeZone, atNanos: Nanos): void {
    const next = values.findIndex((value) => value.atNanos >= atNanos);
    const kept = next < 0 ? values.length - 1 : next - 1;
    if (kept > 0) values.splice(0, kept);
  }
}
