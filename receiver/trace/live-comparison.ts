// SPDX-License-Identifier: Apache-2.0
/** What the recording agent gave to whom, against what the replay gives. Pure. */
import type { WindowAttribution } from '../attribution/attribute.js';
import type { ActivityWindow } from '../model/activity.js';
import type { WindowRecord } from './wire.js';

/** Differences told; more say nothing new. */
const MOST_TOLD = 10;

const firstDifference = (live: readonly number[], replayed: Float64Array): number | undefined => {
  if (live.length !== replayed.length) return Math.min(live.length, replayed.length);
  const at = live.findIndex((energy, row) => energy !== replayed[row]);
  return at < 0 ? undefined : at;
};

export class LiveComparison {
  public compared = 0;
  public equal = 0;
  public readonly differences: string[] = [];

  /** `isWanted`: with other settings a difference is what was asked for. */
  public constructor(private readonly isWanted: boolean) {}

  public compare(
    window: ActivityWindow,
    { live }: WindowRecord,
    { balances, shares }: WindowAttribution,
  ): void {
    if (live === undefined || !this.isWanted) return;
    this.compared += 1;
    const wrong: string[] = [];
    for (const zone of live.zones) {
      const own = balances.find(({ domain }) => domain.id === zone.id);
      const parts = own && [
        own.deltaMicrojoules,
        own.entitiesMicrojoules,
        own.idleMicrojoules,
        own.irqMicrojoules,
        own.igpuMicrojoules,
      ];
      const told = [
        zone.deltaMicrojoules,
        zone.entitiesMicrojoules,
        zone.idleMicrojoules,
        zone.irqMicrojoules,
        zone.igpuMicrojoules,
      ].join(' ');
      if (parts?.join(' ') !== told)
        wrong.push(`${zone.id}: live ${told}, replayed ${parts?.join(' ') ?? 'nothing'} uJ`);
    }
    if (balances.length !== live.zones.length) wrong.push('not the same zones');
    for (const kind of ['package', 'dram'] as const) {
      const at = firstDifference(live.tasks[kind], shares.tasks[kind]);
      if (at !== undefined)
        wrong.push(
          `${kind} of tasks[${at.toString()}]: live ${String(live.tasks[kind][at])}, ` +
            `replayed ${String(shares.tasks[kind][at])} uJ`,
        );
    }
    if (wrong.length === 0) this.equal += 1;
    else if (this.differences.length < MOST_TOLD)
      this.differences.push(`window ${window.index.toString()}: ${wrong[0] ?? ''}`);
  }
}
