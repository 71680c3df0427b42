// SPDX-License-Identifier: Apache-2.0
/**
 * A powercap tree whose counters move, for tests that need energy on machines without RAPL. Zones are
 * laid out as the kernel does (nested directories, flat links); a process of its own writes them.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  PowercapFault,
  WriterCommand,
  WriterReply,
  WriterRequest,
  WriterZone,
} from './powercap-writer.js';

export interface FixtureZone {
  /** `intel-rapl:0`, `intel-rapl:0:0`, `intel-rapl-mmio:0`; parents first. */
  readonly id: string;
  /** `package-0`, `core`, `dram`, `psys`, … */
  readonly name: string;
  readonly watts: number;
  /** Default: 262,143,328,850, that of a 61 uJ unit. */
  readonly rangeMicrojoules?: bigint;
  /** Default: one million times the zone's place, so that no two zones look like mirrors. */
  readonly startMicrojoules?: bigint;
  /** constraint_0_max_power_uw; default 200 W for packages and psys, none for others. */
  readonly maxPowerWatts?: number;
}

export interface FixtureSnapshot {
  readonly atNanos: bigint;
  readonly ticks: number;
  /** Exactly what each zone has emitted since the fixture began. */
  readonly emittedMicrojoules: ReadonlyMap<string, bigint>;
  readonly values: ReadonlyMap<string, bigint>;
}

export interface PowercapFixture {
  /** To be passed as --sysfs-root. */
  readonly sysfs: string;
  readonly energyPath: (id: string) => string;
  readonly setWatts: (id: string, watts: number) => Promise<FixtureSnapshot>;
  readonly inject: (id: string, fault: PowercapFault) => Promise<FixtureSnapshot>;
  readonly restore: (id: string) => Promise<FixtureSnapshot>;
  readonly reset: (id: string) => Promise<FixtureSnapshot>;
  readonly wrapIn: (id: string, seconds: number) => Promise<FixtureSnapshot>;
  readonly snapshot: () => Promise<FixtureSnapshot>;
  /** Last write, then the writer ends; the tree stays for the caller to remove. */
  readonly stop: () => Promise<FixtureSnapshot>;
}

const DEFAULT_RANGE = 262_143_328_850n;
const DEFAULT_MAX_POWER_WATTS = 200;
/** 40 Hz: RAPL itself updates at 1 kHz, consumers read at 1 Hz. */
const DEFAULT_TICK_MILLIS = 25;

const controlTypeOf = (id: string): string => id.replace(/(?::\d+)+$/, '');

/** `intel-rapl/intel-rapl:0/intel-rapl:0:1` below devices/virtual/powercap. */
const nestedPath = (id: string): string => {
  const type = controlTypeOf(id);
  const numbers = id.slice(type.length + 1).split(':');
  const chain = numbers.map((_number, depth) => `${type}:${numbers.slice(0, depth + 1).join(':')}`);
  return join(type, ...chain);
};

const isLimited = (name: string): boolean => name.startsWith('package') || name === 'psys';

const layZone = (sysfs: string, zone: FixtureZone, range: bigint): string => {
  const directory = join(sysfs, 'devices/virtual/powercap', nestedPath(zone.id));
  mkdirSync(directory, { recursive: true });
  const put = (name: string, text: string): void =>
    writeFileSync(join(directory, name), `${text}\n`);
  put('name', zone.name);
  put('max_energy_range_uj', range.toString());
  put('enabled', '1');
  const maxPower =
    zone.maxPowerWatts ?? (isLimited(zone.name) ? DEFAULT_MAX_POWER_WATTS : undefined);
  if (maxPower !== undefined) {
    put('constraint_0_name', 'long_term');
    put('constraint_0_power_limit_uw', String(Math.round(maxPower * 1e6)));
    put('constraint_0_max_power_uw', String(Math.round(maxPower * 1e6)));
  }
  const links = join(sysfs, 'class/powercap');
  mkdirSync(links, { recursive: true });
  symlinkSync(relative(links, directory), join(links, zone.id));
  return join(directory, 'energy_uj');
};

const layControlTypes = (sysfs: string, zones: readonly FixtureZone[]): void => {
  for (const type of new Set(zones.map((zone) => controlTypeOf(zone.id)))) {
    const directory = join(sysfs, 'devices/virtual/powercap', type);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'enabled'), '1\n');
    const links = join(sysfs, 'class/powercap');
    mkdirSync(links, { recursive: true });
    symlinkSync(relative(links, directory), join(links, type));
  }
};

const snapshotOf = (reply: WriterReply): FixtureSnapshot => {
  const entries = Object.entries(reply.zones);
  return {
    atNanos: BigInt(reply.atNanos),
    ticks: reply.ticks,
    emittedMicrojoules: new Map(entries.map(([id, zone]) => [id, BigInt(zone.emittedMicrojoules)])),
    values: new Map(entries.map(([id, zone]) => [id, BigInt(zone.value)])),
  };
};

const startWriter = (zones: readonly WriterZone[], tickMillis: number): ChildProcess =>
  fork(
    join(dirname(fileURLToPath(import.meta.url)), 'powercap-writer.ts'),
    [JSON.stringify({ tickMillis, zones })],
    // Not the parent's loaders: the writer needs none. Node before 22.18 strips types on request only.
    {
      execArgv: process.features.typescript ? [] : ['--experimental-strip-types'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );

/** Sends commands one behind the other and matches the replies; a dead writer rejects. */
const requester = (
  writer: ChildProcess,
): ((command: WriterCommand) => Promise<FixtureSnapshot>) => {
  let seq = 0;
  return (command) => {
    seq += 1;
    const request: WriterRequest = { seq, command };
    return new Promise((resolve, reject) => {
      const onExit = (): void => {
        reject(new Error('powercap writer: ended before it answered'));
      };
      const onReply = (reply: WriterReply): void => {
        if (reply.seq !== request.seq) return;
        writer.off('message', onReply);
        writer.off('exit', onExit);
        resolve(snapshotOf(reply));
      };
      writer.on('message', onReply);
      writer.once('exit', onExit);
      writer.send(request);
    });
  };
};

/** `root`: an empty directory; the tree is laid out below `root/sys`. Resolves when all counters move. */
export const startPowercapFixture = async (
  root: string,
  zones: readonly FixtureZone[],
  tickMillis: number = DEFAULT_TICK_MILLIS,
): Promise<PowercapFixture> => {
  const sysfs = join(root, 'sys');
  layControlTypes(sysfs, zones);
  const paths = new Map<string, string>();
  const written = zones.map((zone, place): WriterZone => {
    const range = zone.rangeMicrojoules ?? DEFAULT_RANGE;
    const energyPath = layZone(sysfs, zone, range);
    paths.set(zone.id, energyPath);
    const start = zone.startMicrojoules ?? BigInt(place + 1) * 1_000_000n;
    return {
      id: zone.id,
      energyPath,
      watts: zone.watts,
      rangeMicrojoules: range.toString(),
      startMicrojoules: start.toString(),
    };
  });
  const writer = startWriter(written, tickMillis);
  await Promise.race([
    once(writer, 'message'),
    once(writer, 'exit').then(([code]) => {
      throw new Error(`powercap writer: exit ${String(code)} at start`);
    }),
  ]);
  const request = requester(writer);
  return {
    sysfs,
    energyPath: (id) => paths.get(id) ?? '',
    setWatts: (id, watts) => request({ type: 'watts', id, watts }),
    inject: (id, fault) => request({ type: 'fault', id, fault }),
    restore: (id) => request({ type: 'restore', id }),
    reset: (id) => request({ type: 'reset', id }),
    wrapIn: (id, seconds) => request({ type: 'wrap-in', id, seconds }),
    snapshot: () => request({ type: 'snapshot' }),
    stop: async () => {
      const ended = once(writer, 'exit');
      const last = await request({ type: 'stop' });
      await ended;
      return last;
    },
  };
};
