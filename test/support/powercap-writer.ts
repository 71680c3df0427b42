// SPDX-License-Identifier: Apache-2.0
/**
 * The process behind powercap-fixture.ts: moves the counters of a powercap tree at given powers. It is a
 * process of its own, so that a busy test cannot stall the hardware, and imports nothing but Node, so
 * that `node test/support/powercap-writer.ts` runs it as it is (Node >= 22.18 strips the types).
 *
 * Writer's rule: one pwrite of a fixed-width, zero-padded number, never a truncate first, so that a
 * reader meets the old value or the new one and nothing else.
 */
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

export type PowercapFault =
  /** Still there, always the same value; energy goes on being spent and arrives when it thaws. */
  | 'freeze'
  /** One in-range value that is not true, until restored. */
  | 'garbage'
  /** 0xFFFFFFFF x 1000. */
  | 'bogus'
  | 'above-range'
  | 'not-a-number'
  | 'empty'
  /** open() fails with EACCES even for root: a link to a write-only sysctl, which root may not read. */
  | 'permission'
  /** open() succeeds, read() fails with EISDIR. */
  | 'unreadable'
  | 'gone';

export interface WriterZone {
  /** `intel-rapl:0:1`. */
  readonly id: string;
  readonly energyPath: string;
  readonly watts: number;
  /** As decimal text: IPC carries JSON. */
  readonly rangeMicrojoules: string;
  readonly startMicrojoules: string;
}

export type WriterCommand =
  | { readonly type: 'watts'; readonly id: string; readonly watts: number }
  | { readonly type: 'fault'; readonly id: string; readonly fault: PowercapFault }
  | { readonly type: 'restore'; readonly id: string }
  | { readonly type: 'reset'; readonly id: string }
  /** Moves the counter so that it wraps by itself in about this time: a reset, then a true wrap. */
  | { readonly type: 'wrap-in'; readonly id: string; readonly seconds: number }
  | { readonly type: 'snapshot' }
  | { readonly type: 'stop' };

export interface WriterRequest {
  readonly seq: number;
  readonly command: WriterCommand;
}

export interface ZoneSnapshot {
  /** All energy that the zone has spent since the writer began, as decimal text. */
  readonly emittedMicrojoules: string;
  /** What the counter shows, whatever the fault hides. */
  readonly value: string;
}

export interface WriterReply {
  readonly seq: number;
  /** CLOCK_MONOTONIC of the last write, as decimal text. */
  readonly atNanos: string;
  readonly ticks: number;
  readonly zones: Readonly<Record<string, ZoneSnapshot>>;
}

/** A sysctl of mode 0200: its permission check asks no capability, so EACCES is real for root too. */
const WRITE_ONLY_SYSCTL = '/proc/sys/vm/compact_memory';
const WIDTH = 18;
const BOGUS = 0xffff_ffffn * 1000n;
/** uW x ns -> uJ. */
const SCALE = 1_000_000_000n;

interface Zone {
  readonly id: string;
  readonly path: string;
  readonly range: bigint;
  microwatts: bigint;
  value: bigint;
  emitted: bigint;
  remainder: bigint;
  fault: PowercapFault | undefined;
  fd: number | undefined;
}

const padded = (value: bigint): string => `${value.toString().padStart(WIDTH, '0')}\n`;

const openZone = (zone: Zone): void => {
  // A new inode each time: a reader that kept the old one sees that it was unlinked.
  rmSync(zone.path, { recursive: true, force: true });
  writeFileSync(zone.path, padded(zone.value), { mode: 0o400 });
  zone.fd = openSync(zone.path, 'r+');
};

const closeZone = (zone: Zone): void => {
  if (zone.fd !== undefined) closeSync(zone.fd);
  zone.fd = undefined;
  rmSync(zone.path, { recursive: true, force: true });
};

const show = (zone: Zone, text: string): void => {
  if (zone.fd !== undefined) writeSync(zone.fd, text, 0);
};

/** In-place faults reach readers that keep the file open, the others those that open it again. */
const applyFault = (zone: Zone, fault: PowercapFault): void => {
  zone.fault = fault;
  switch (fault) {
    case 'freeze':
      return;
    case 'garbage':
      // Half a turn away: neither a plausible advance nor a wrap.
      show(zone, padded((zone.value + zone.range / 2n) % (zone.range + 1n)));
      return;
    case 'bogus':
      show(zone, padded(BOGUS));
      return;
    case 'above-range':
      show(zone, padded(zone.range + 1n));
      return;
    case 'not-a-number':
      show(zone, 'no counter here!!!\n');
      return;
    case 'empty':
      if (zone.fd !== undefined) ftruncateSync(zone.fd, 0);
      return;
    case 'permission':
      closeZone(zone);
      symlinkSync(WRITE_ONLY_SYSCTL, zone.path);
      return;
    case 'unreadable':
      closeZone(zone);
      mkdirSync(zone.path);
      return;
    case 'gone':
      closeZone(zone);
      return;
  }
};

const restore = (zone: Zone): void => {
  zone.fault = undefined;
  if (zone.fd === undefined) openZone(zone);
  show(zone, padded(zone.value));
};

const setValue = (zone: Zone, value: bigint): void => {
  zone.value = value;
  if (zone.fault === undefined) show(zone, padded(value));
};

const advance = (zone: Zone, spanNanos: bigint): void => {
  const scaled = zone.microwatts * spanNanos + zone.remainder;
  const energy = scaled / SCALE;
  zone.remainder = scaled % SCALE;
  zone.emitted += energy;
  setValue(zone, (zone.value + energy) % (zone.range + 1n));
};

const microwatts = (watts: number): bigint => BigInt(Math.round(watts * 1e6));

export const runWriter = (
  configuration: { readonly tickMillis: number; readonly zones: readonly WriterZone[] },
  send: (reply: WriterReply) => void,
): { readonly handle: (request: WriterRequest) => void } => {
  const zones = new Map(
    configuration.zones.map((zone): [string, Zone] => [
      zone.id,
      {
        id: zone.id,
        path: zone.energyPath,
        range: BigInt(zone.rangeMicrojoules),
        microwatts: microwatts(zone.watts),
        value: BigInt(zone.startMicrojoules),
        emitted: 0n,
        remainder: 0n,
        fault: undefined,
        fd: undefined,
      },
    ]),
  );
  for (const zone of zones.values()) openZone(zone);
  let lastNanos = process.hrtime.bigint();
  let ticks = 0;
  const tick = (): void => {
    const now = process.hrtime.bigint();
    for (const zone of zones.values()) advance(zone, now - lastNanos);
    lastNanos = now;
    ticks += 1;
  };
  const timer = setInterval(tick, configuration.tickMillis);

  const obey = (command: WriterCommand): void => {
    // Energy up to now is spent under the old settings.
    tick();
    if (command.type === 'stop') clearInterval(timer);
    const zone = 'id' in command ? zones.get(command.id) : undefined;
    if (zone === undefined) return;
    if (command.type === 'watts') zone.microwatts = microwatts(command.watts);
    if (command.type === 'fault') applyFault(zone, command.fault);
    if (command.type === 'restore') restore(zone);
    if (command.type === 'reset') setValue(zone, 0n);
    if (command.type === 'wrap-in') {
      const ahead = (zone.microwatts * BigInt(Math.round(command.seconds * 1e3))) / 1000n;
      setValue(zone, zone.range - ahead);
    }
  };
  return {
    handle: ({ seq, command }) => {
      obey(command);
      const shown = [...zones.values()].map((zone): [string, ZoneSnapshot] => [
        zone.id,
        { emittedMicrojoules: zone.emitted.toString(), value: zone.value.toString() },
      ]);
      send({ seq, atNanos: lastNanos.toString(), ticks, zones: Object.fromEntries(shown) });
    },
  };
};

const hasTexts = (value: object, names: readonly string[]): boolean =>
  names.every((name) => typeof Object.getOwnPropertyDescriptor(value, name)?.value === 'string');

const isZone = (value: unknown): value is WriterZone =>
  typeof value === 'object' &&
  value !== null &&
  'watts' in value &&
  typeof value.watts === 'number' &&
  hasTexts(value, ['id', 'energyPath', 'rangeMicrojoules', 'startMicrojoules']);

const parseConfiguration = (text: string): Parameters<typeof runWriter>[0] => {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('configuration: not an object');
  if (!('tickMillis' in value) || typeof value.tickMillis !== 'number')
    throw new Error('configuration: no tickMillis');
  if (!('zones' in value) || !Array.isArray(value.zones) || !value.zones.every(isZone))
    throw new Error('configuration: zones are not as WriterZone');
  return { tickMillis: value.tickMillis, zones: value.zones };
};

/** `fork`ed by the fixture: the configuration is the only argument, commands and replies go over IPC. */
const main = (): void => {
  const [argument] = process.argv.slice(2);
  const send = process.send?.bind(process);
  if (argument === undefined || send === undefined) {
    process.stderr.write('powercap-writer: start me through powercap-fixture.ts\n');
    process.exitCode = 2;
    return;
  }
  const writer = runWriter(parseConfiguration(argument), (reply) => send(reply));
  process.on('message', (request: WriterRequest) => {
    writer.handle(request);
    if (request.command.type === 'stop') process.disconnect();
  });
  // The test is gone: so is the hardware.
  process.on('disconnect', () => process.exit(0));
  writer.handle({ seq: 0, command: { type: 'snapshot' } });
};

if (process.argv[1]?.endsWith('powercap-writer.ts') === true) main();
