// SPDX-License-Identifier: Apache-2.0
/** A process's memory map and code bytes, from /proc. What cannot be read is undefined. */
import { closeSync, openSync, readSync, readdirSync, readFileSync } from 'node:fs';

export interface Mapping {
  readonly start: bigint;
  readonly end: bigint;
  readonly fileOffset: bigint;
  /** A file's path, `[vdso]`, `[heap]`, … or empty: no file. */
  readonly name: string;
}

export interface ProcessImage {
  readonly mappingOf: (address: bigint) => Mapping | undefined;
  readonly readCode: (address: bigint) => Uint8Array | undefined;
  readonly close: () => void;
}

const CODE_BYTES = 256;
/** Twice what the kernel allows by default; a process with more is known in part. */
const MAX_MAPPINGS = 131_072;
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \d+\s*(.*)$/;

export const parseMaps = (text: string): readonly Mapping[] =>
  text.split('\n', MAX_MAPPINGS).flatMap((line) => {
    const [, start, end, offset, name = ''] = MAPPING.exec(line) ?? [];
    if (start === undefined || end === undefined || offset === undefined) return [];
    const hex = (digits: string): bigint => BigInt(`0x${digits}`);
    return [{ start: hex(start), end: hex(end), fileOffset: hex(offset), name }];
  });

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

const openForReading = (path: string): number | undefined => {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
};

/** Up to `CODE_BYTES` from `address`, at most to the end of its mapping. */
const readBytes = (fd: number, address: bigint, end: bigint): Uint8Array | undefined => {
  const room = end - address;
  const buffer = Buffer.alloc(room < BigInt(CODE_BYTES) ? Number(room) : CODE_BYTES);
  try {
    const length = readSync(fd, buffer, 0, buffer.length, address);
    return length > 0 ? buffer.subarray(0, length) : undefined;
  } catch {
    return undefined; // gone, or not to be read
  }
};

/** `procfsRoot`/PID. The process may end at any time: then nothing can be read. */
export const openProcessImage = (procfsRoot: string, pid: number): ProcessImage => {
  const directory = `${procfsRoot}/${String(pid)}`;
  const mappings = parseMaps(readText(`${directory}/maps`));
  const memory = openForReading(`${directory}/mem`);
  const mappingOf = (address: bigint): Mapping | undefined =>
    mappings.find(({ start, end }) => start <= address && address < end);
  return {
    mappingOf,
    readCode: (address) => {
      const mapping = mappingOf(address);
      return memory === undefined || mapping === undefined
        ? undefined
        : readBytes(memory, address, mapping.end);
    },
    close: () => {
      if (memory !== undefined) closeSync(memory);
    },
  };
};

/** Empty where the process is gone. */
export const threadsOf = (procfsRoot: string, pid: number): readonly number[] => {
  try {
    return readdirSync(`${procfsRoot}/${String(pid)}/task`).map(Number);
  } catch {
    return [];
  }
};

/** Empty where the thread is gone. */
export const threadName = (procfsRoot: string, pid: number, tid: number): string =>
  readText(`${procfsRoot}/${String(pid)}/task/${String(tid)}/comm`).trimEnd();
