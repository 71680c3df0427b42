// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { describe, expect, it } from 'vitest';
import * as layout from '../../../native/layout.generated.js';
import { windowReader } from '../../../receiver/activity/decode.js';
import type { ActivitySession } from '../../../receiver/activity/port.js';
import { Explainer } from '../../../receiver/agent/explainer.js';
import { Losses } from '../../../receiver/agent/losses.js';
import { createLogger } from '../../../receiver/agent/logger.js';
import { Measurement } from '../../../receiver/agent/measurement.js';
import { UNNAMED } from '../../../receiver/attribution/unnamed.js';
import { createPipeline } from '../../../receiver/agent/pipeline.js';
import { SelfTotals } from '../../../receiver/export/self-totals.js';
import { systemClock } from '../../../receiver/host/clock.js';
import { agentReport } from '../../support/agent-report.js';
import { encodeBatch } from '../../support/encode-window.js';
import { newLedger, processesOf } from '../../support/ledger.js';
import { activityWindow, cpuSample, taskSample, topologyOf } from '../../support/windows.js';

const MILLI = 1_000_000;
const NO_PLAN = {
  domains: [],
  dropped: [],
  model: undefined,
  notes: [],
  longestWindowMillis: undefined,
};

const idleSession: ActivitySession = {
  start: () => E.right(undefined),
  setWakeEvery: () => undefined,
  setWindowMillis: () => E.right(undefined),
  closeWindow: () => TE.right(undefined),
  setTag: () => E.right(0),
  setCoefficients: () => E.right(undefined),
  setCoreScales: () => E.right(undefined),
  counterFaults: () => E.right([]),
  programStats: () => E.right([]),
  close: () => TE.right(undefined),
};

const rig = () => {
  const ledger = newLedger();
  const losses = new Losses();
  const lines: string[] = [];
  const sweeps: boolean[] = [];
  const measurement = new Measurement({
    session: idleSession,
    read: windowReader(layout, { reusesRows: true }),
    pipeline: createPipeline({ plan: NO_PLAN, topology: topologyOf(), idleWatts: undefined }),
    explainer: new Explainer(ledger),
    surroundings: () => ({}),
    coreScaling: { isInUse: false, after: () => undefined },
    predictions: { after: () => undefined },
    keeper: { changed: () => undefined, close: () => undefined },
    ledger,
    self: new SelfTotals(() => [], losses.counts),
    losses,
    clock: systemClock,
    logger: createLogger('debug', (line) => void lines.push(line)),
    buildReport: () => agentReport(),
    sweep: (isEveryEntry) => void sweeps.push(isEveryEntry),
    refreshNames: () => undefined,
    watchSlots: () => undefined,
    powerFeed: undefined,
    traceHeader: () => {
      throw new Error('nobody records here');
    },
    names: UNNAMED,
    batchWindows: 10,
  });
  return { ledger, losses, lines, sweeps, measurement };
};

/** A window in which one task runs for 10 ms. */
const windowAt = (index: bigint) =>
  activityWindow({
    index,
    tasks: [taskSample({ tgid: 100, runtimeNanos: 10 * MILLI })],
    cpus: [cpuSample({ taskNanos: 10 * MILLI })],
  });

const batchOf = (...indices: readonly bigint[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(encodeBatch(indices.map(windowAt)));

describe('onBatch', () => {
  it('books every window of a batch and gives its memory back at once', () => {
    const { ledger, lines, measurement } = rig();
    const batch = batchOf(1n, 2n, 3n);
    measurement.onBatch(batch);
    expect(processesOf(ledger).map(({ cpuNanos }) => cpuNanos)).toEqual([BigInt(30 * MILLI)]);
    expect([batch.length, batch.buffer.byteLength]).toEqual([0, 0]);
    expect(lines).toEqual([]);
  });

  it('books what lies before a broken window, counts and tells the loss, and looks for lost ends', () => {
    const { ledger, losses, lines, sweeps, measurement } = rig();
    const batch = batchOf(1n, 2n, 3n);
    measurement.onBatch(batch.slice(0, batch.length - 8));
    expect(processesOf(ledger).map(({ cpuNanos }) => cpuNanos)).toEqual([BigInt(20 * MILLI)]);
    expect(losses.counts()).toEqual({ undecodableBatches: 1, ledgerDefects: 0 });
    expect(lines).toEqual(['wattfeed: error: window batch cannot be decoded reason=WrongLength\n']);
    expect(sweeps).toEqual([true]);
  });
});
