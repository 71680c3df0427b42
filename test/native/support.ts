// SPDX-License-Identifier: Apache-2.0
/** What the native suites share: the built addon, options that fit this machine, decoded windows. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { activityPort } from '../../native/index.js';
import * as layout from '../../native/layout.generated.js';
import { batchDecoder } from '../../receiver/activity/decode.js';
import type {
  ActivityPort,
  ActivitySession,
  EnergySourceSpec,
  SessionOptions,
} from '../../receiver/activity/port.js';
import { parseCpuList } from '../../receiver/host/cpu-list.js';
import type { ActivityWindow } from '../../receiver/model/activity.js';

export const ADDON_PATH =
  process.env['WATTFEED_ADDON'] ??
  join(import.meta.dirname, '../../native/build/Release/wattfeed.node');

/** For twenty loads in one test: 3 s take 60 s and more where the machine does ten other things. */
export const TWENTY_LOADS_MILLIS = 240_000;

/** The addon as JavaScript without types sees it: for arguments that types would not let through. */
export type RawObject = Readonly<Record<string, (...values: readonly unknown[]) => unknown>>;

const load: (path: string) => RawObject = createRequire(import.meta.url);

export const rawAddon = (): RawObject => load(ADDON_PATH);

export const possibleCpuCount = (): number => {
  const list = readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim();
  return Math.max(...parseCpuList(list)) + 1;
};

export const sessionOptions = (overrides: Partial<SessionOptions> = {}): SessionOptions => ({
  maxTasks: 4096,
  cpuDomains: new Array<number>(possibleCpuCount()).fill(0),
  smtSiblings: new Array<number>(possibleCpuCount()).fill(-1),
  cgroupHierarchy: 'unified',
  bpfStats: false,
  ...overrides,
});

/** The value, or the failure as an error that a test report can show. */
export const valueOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

export const port = (): ActivityPort => valueOf(activityPort());

export interface Rig {
  readonly session: ActivitySession;
  readonly batches: (readonly ActivityWindow[])[];
  readonly windows: () => readonly ActivityWindow[];
}

const opened: ActivitySession[] = [];

/** A started session whose windows are collected; `closeAll` ends it if the test does not. */
export const startRig = async (
  settings: {
    readonly windowMillis?: number;
    readonly wakeEvery?: number;
    readonly sources?: readonly EnergySourceSpec[];
    readonly session?: Partial<SessionOptions>;
  } = {},
): Promise<Rig> => {
  const session = valueOf(await port().open(sessionOptions(settings.session))());
  opened.push(session);
  const decode = batchDecoder(layout);
  const batches: (readonly ActivityWindow[])[] = [];
  const options = {
    windowMillis: settings.windowMillis ?? 20,
    wakeEvery: settings.wakeEvery ?? 1,
    sources: settings.sources ?? [],
  };
  valueOf(session.start(options, (batch) => batches.push(valueOf(decode(batch)))));
  return { session, batches, windows: () => batches.flat() };
};

export const closeAll = async (): Promise<void> => {
  for (const session of opened.splice(0)) valueOf(await session.close()());
};
