// SPDX-License-Identifier: Apache-2.0
/** The data points of one level (processes, or cgroups): each lane's, the ended's and the overflow's. */
import type { Attributes, HrTime } from '@opentelemetry/api';
import { nanos } from '../model/units.js';
import { attributeName } from './attributes.js';
import type { InstrumentKey } from './instruments.js';
import { labelAttributes } from './labels.js';
import { MEASURES, type Lane, type Measure } from './lane.js';
import type { MetricSet } from './metric-set.js';
import type { SeriesPool } from './series-pool.js';
import { SumStream } from './stream.js';
import type { StreamTable } from './stream-table.js';
import { hrTimeOfMillis, hrTimeOfNanos } from './time.js';

export interface LevelInstruments {
  readonly energy: InstrumentKey;
  readonly endedEnergy: InstrumentKey;
  readonly cpuTime: InstrumentKey;
  readonly endedCpuTime: InstrumentKey;
}

/** Lets the event loop run; awaited between chunks of points. */
export type Breath = () => Promise<void>;

/** Points built between two breaths: below 2 ms on the development machine. */
const CHUNK_POINTS = 1_000;

const quantityOf = (measure: Measure) => (measure === 'cpu' ? 'nanos' : 'microjoules');

export class EntityPoints<Entity> {
  constructor(
    private readonly pool: SeriesPool<Entity>,
    private readonly attributesOf: (entity: Entity) => Attributes,
    private readonly instruments: LevelInstruments,
    private readonly table: StreamTable,
  ) {}

  async addTo(set: MetricSet, breathe: Breath): Promise<void> {
    let sinceBreath = 0;
    const pause = async (): Promise<void> => {
      sinceBreath += 1;
      if (sinceBreath % CHUNK_POINTS === 0) await breathe();
    };
    for (const lane of this.pool.lanes()) {
      this.#addLane(set, lane, set.endTime);
      await pause();
    }
    for (const { lane, endUnixNanos } of this.pool.closed.values()) {
      this.#addLane(set, lane, hrTimeOfNanos(nanos(endUnixNanos)));
      await pause();
    }
    this.#addRemainders(set);
  }

  #addLane(set: MetricSet, lane: Lane<Entity>, endTime: HrTime): void {
    lane.stream ??= new SumStream(
      { ...this.attributesOf(lane.entity), ...labelAttributes(lane.measure, lane.label) },
      hrTimeOfMillis(lane.startUnixMillis),
      quantityOf(lane.measure),
    );
    const { energy, cpuTime } = this.instruments;
    const key = lane.measure === 'cpu' ? cpuTime : energy;
    set.add(key, lane.stream.point(lane.total, endTime, set.temporality));
  }

  #addRemainders(set: MetricSet): void {
    const { energy, cpuTime, endedEnergy, endedCpuTime } = this.instruments;
    for (const measure of MEASURES) {
      const isCpu = measure === 'cpu';
      const quantity = quantityOf(measure);
      for (const [label, total] of this.pool.overflow[measure].parts()) {
        if (total === 0n) continue;
        const attributes = {
          ...labelAttributes(measure, label),
          [attributeName('overflow')]: true,
        };
        this.table.add(set, isCpu ? cpuTime : energy, quantity, total, attributes);
      }
      for (const [label, total] of this.pool.ended[measure].parts()) {
        const attributes = labelAttributes(measure, label);
        this.table.add(set, isCpu ? endedCpuTime : endedEnergy, quantity, total, attributes);
      }
    }
  }
}
