// SPDX-License-Identifier: Apache-2.0
/**
 * A Collector that goes away, hangs or refuses. WATTFEED_OUTAGE_SECONDS lengthens the outage (10 in CI,
 * 60 and more in a soak run): the time to recover must not depend on it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CollectorProcess } from '../../support/collector-process.js';
import { rightOf } from '../../support/either.js';
import { pointsOf, type ReceivedPoint } from '../../support/otlp-json.js';
import { Backend } from '../../support/received.js';
import { TickingAgent } from '../../support/ticking-agent.js';
import { until } from '../../support/until.js';

const OUTAGE_MILLIS = Number(process.env['WATTFEED_OUTAGE_SECONDS'] ?? '10') * 1_000;
const INTERVAL_MILLIS = 1_000;
/** Two intervals, and as long for a busy shared machine to get round to them. */
const RECOVERY_MILLIS = 2 * INTERVAL_MILLIS + 1_000;
const DEADLINE_MILLIS = 15_000;
/**
 * Whoever waits for the Collector waits for its time-out of 900 ms at least, and misses nine of ten windows
 * (every 100 ms). A shared machine that is busy delays us by less.
 */
const MAX_BLOCK_MILLIS = 900;
const LEAST_TICKS_PER_SECOND = 5;

const WINDOW_COUNT = 'wattfeed.window.count';

describe.each(['cumulative', 'delta'] as const)(
  'an agent without its Collector, %s',
  (temporality) => {
    let collector: CollectorProcess;
    let ticking: TickingAgent;

    beforeEach(async () => {
      collector = await CollectorProcess.start();
      ticking = new TickingAgent({
        endpoint: collector.endpoint,
        environment: {
          OTEL_METRIC_EXPORT_INTERVAL: String(INTERVAL_MILLIS),
          OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: temporality,
        },
      });
      await until('a first export', () => collector.lines().length > 0, DEADLINE_MILLIS);
      ticking.takeMaxBlockMillis();
    });

    afterEach(async () => {
      ticking.freeze();
      await ticking.agent.running.shutdown(2_000)();
      await collector.dispose();
    });

    const received = (): readonly ReceivedPoint[] => pointsOf(collector.lines());

    /** Everything that was burned has arrived, each series only rose, and no process is kept for ever. */
    const expectComplete = async (): Promise<void> => {
      ticking.freeze();
      const { ledger, running } = ticking.agent;
      for (let round = 0; round < 3; round += 1) await running.flush();
      rightOf(await running.shutdown(DEADLINE_MILLIS)());
      await collector.stop();
      const backend = new Backend();
      backend.takeReceived(received());
      expect(backend.faults).toEqual([]);
      const total = ledger.total();
      for (const domain of ['package', 'dram'] as const) {
        expect(backend.increaseOf('wattfeed.process.energy', domain)).toBe(total[domain]);
        expect(backend.increaseOf('wattfeed.cgroup.energy', domain)).toBe(total[domain]);
      }
      expect([...ledger.live.values()].filter(({ isExited }) => isExited)).toEqual([]);
    };

    /** Milliseconds until something new arrives. */
    const untilRecovered = async (): Promise<number> => {
      const before = collector.lines().length;
      return await until(
        'exports to arrive again',
        () => collector.lines().length > before,
        DEADLINE_MILLIS,
      );
    };

    it('measures on, says so once, and its totals are complete soon after', async () => {
      await collector.stop();
      const ticksBefore = ticking.ticks;
      await delay(OUTAGE_MILLIS);
      expect(ticking.ticks - ticksBefore).toBeGreaterThan(
        (OUTAGE_MILLIS / 1_000) * LEAST_TICKS_PER_SECOND,
      );
      expect(ticking.takeMaxBlockMillis()).toBeLessThan(MAX_BLOCK_MILLIS);
      expect(ticking.agent.said).toEqual([expect.stringContaining('unreachable (unavailable')]);
      await collector.start();
      expect(await untilRecovered()).toBeLessThan(RECOVERY_MILLIS);
      const wasSaid = (): boolean => ticking.agent.said.length > 1;
      await until('the recovery to be said', wasSaid, DEADLINE_MILLIS);
      expect(ticking.agent.said[1]).toContain('works again');
      await expectComplete();
      expect(ticking.agent.said).toHaveLength(2);
      expect(ticking.agent.running.counts.rebuilds).toBeGreaterThan(0n);
    });

    it('is not held up by a Collector that hangs', async () => {
      const { counts } = ticking.agent.running;
      collector.hang();
      const ticksBefore = ticking.ticks;
      const hasFailed = (times: bigint) => (): boolean =>
        (counts.failures.get('deadline_exceeded') ?? 0n) >= times;
      const first = await until('a first time-out', hasFailed(1n), DEADLINE_MILLIS);
      expect(first).toBeLessThan(3 * INTERVAL_MILLIS);
      // One time-out an interval: batches after the first are not tried.
      await until('a fourth time-out', hasFailed(4n), DEADLINE_MILLIS);
      expect(ticking.ticks - ticksBefore).toBeGreaterThan(3 * LEAST_TICKS_PER_SECOND);
      expect(ticking.takeMaxBlockMillis()).toBeLessThan(MAX_BLOCK_MILLIS);
      collector.resume();
      expect(await untilRecovered()).toBeLessThan(RECOVERY_MILLIS);
      const newest = (): number =>
        received().findLast(({ name }) => name === WINDOW_COUNT)?.value ?? 0;
      expect(newest()).toBeGreaterThan(0);
      if (temporality === 'cumulative') await expectComplete();
    });
  },
);

describe('an agent that is told to stop while its Collector hangs', () => {
  it('ends within the time given, and says what is lost', async () => {
    const collector = await CollectorProcess.start();
    const ticking = new TickingAgent({
      endpoint: collector.endpoint,
      environment: { OTEL_METRIC_EXPORT_INTERVAL: '60000', OTEL_METRIC_EXPORT_TIMEOUT: '30000' },
    });
    try {
      await until('a window', () => ticking.ticks > 1, DEADLINE_MILLIS);
      collector.hang();
      const begun = performance.now();
      const outcome = await ticking.agent.running.shutdown(1_000)();
      expect(performance.now() - begun).toBeLessThan(1_500);
      expect(outcome).toMatchObject({ _tag: 'Left', left: { what: 'export a last time' } });
    } finally {
      ticking.freeze();
      await collector.dispose();
    }
  });
});
