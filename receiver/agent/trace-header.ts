// SPDX-License-Identifier: Apache-2.0
/** The first record of a recording: this machine, its energy plan, its clocks and how it was told to split. */
import { systemClock } from '../host/clock.js';
import { headerRecord } from '../trace/header.js';
import { settingsJson, type ReplaySplit } from '../trace/settings.js';
import type { HeaderRecord } from '../trace/wire.js';
import type { Machine } from './machine.js';

const NANOS_PER_MILLI = 1_000_000n;

export const traceHeader =
  ({ facts, plan, host }: Machine, split: ReplaySplit, version: string) =>
  (): HeaderRecord =>
    headerRecord({
      topology: facts.host.topology,
      plan,
      version,
      hostName: host.name ?? '',
      monotonicNanos: systemClock.monotonicNanos(),
      unixNanos: BigInt(systemClock.unixMillis()) * NANOS_PER_MILLI,
      settings: settingsJson(split),
    });
