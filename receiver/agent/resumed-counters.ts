// SPDX-License-Identifier: Apache-2.0
/**
 * The first reading of a counter that an agent before this one has read, in the same boot: what it
 * rose by in between belongs to nobody. It is booked as such, and the reading is a baseline for
 * everything else, as it is without such a past.
 */
import type { Ledger } from '../attribution/ledger.js';
import type { CounterState } from '../energy/counter-state.js';
import { nanos, type Nanos } from '../model/units.js';
import type { DomainReading } from '../model/window.js';

type MissedBooks = Pick<Ledger, 'bookMissed' | 'bookGap'>;

export class ResumedCounters {
  /** When the earlier agent read them last, CLOCK_MONOTONIC. */
  private readonly pending = new Map<string, Nanos>();

  /** Domains whose counters go on from a reading of an earlier agent. */
  public expect(counters: ReadonlyMap<string, CounterState>): void {
    for (const [id, { baseline }] of counters)
      if (baseline !== undefined) this.pending.set(id, baseline.atNanos);
  }

  /** Call with each window's readings before they are attributed. */
  public settle(
    readings: readonly DomainReading[],
    endNanos: Nanos,
    books: MissedBooks,
  ): readonly DomainReading[] {
    return this.pending.size === 0
      ? readings
      : readings.map((reading) => this.settleOne(reading, endNanos, books));
  }

  private settleOne(reading: DomainReading, endNanos: Nanos, books: MissedBooks): DomainReading {
    const { domain, step } = reading;
    // A counter that could not be read says nothing yet about what was missed.
    const lastNanos = this.pending.get(domain.id);
    if (step._tag === 'Failed' || lastNanos === undefined) return reading;
    this.pending.delete(domain.id);
    if (step._tag === 'Advanced') {
      books.bookMissed(domain, step.deltaMicrojoules, step.spanNanos);
      return { domain, step: { _tag: 'First' } };
    }
    books.bookGap(domain, nanos(endNanos - lastNanos));
    return reading;
  }
}
