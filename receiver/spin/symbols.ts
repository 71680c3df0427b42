// SPDX-License-Identifier: Apache-2.0
/** The name of the function at an address of a process, for people. No verdict goes by it. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { functionAt, type ReadFile } from './elf-symbols.js';
import type { Mapping } from './process-image.js';

const HEX = 16;
/** Of a map: the newest code is at its end. */
const MAX_MAP_BYTES = 4 * 1024 * 1024;
const MAX_NAME = 200;

const withFile = <A>(path: string, use: (read: ReadFile) => A): A | undefined => {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const opened = fd;
    return use((offset, length) => {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(opened, buffer, 0, length, offset));
    });
  } catch {
    return undefined; // gone, not to be read, or broken
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
};

const rangeOf = ({ start, end }: Mapping): string => `${start.toString(HEX)}-${end.toString(HEX)}`;

/** The file as the process has it mapped, even if it was deleted or is in another root. */
const fromFile = (directory: string, mapping: Mapping, address: bigint): string | undefined => {
  const offset = Number(address - mapping.start + mapping.fileOffset);
  return withFile(`${directory}/map_files/${rangeOf(mapping)}`, (read) => functionAt(read, offset));
};

const pidInside = (directory: string): string | undefined => {
  const line = /^NSpid:\s*(.*)$/m.exec(readFileSync(`${directory}/status`, 'utf8'))?.[1];
  return line?.split(/\s+/).at(-1);
};

/** A file of another's making: no pipe that is waited for, no more than its last few MiB. */
const lastTextOf = (path: string): string => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const status = fstatSync(fd);
    if (!status.isFile()) return '';
    const length = Math.min(status.size, MAX_MAP_BYTES);
    const buffer = Buffer.alloc(length);
    const read = readSync(fd, buffer, 0, length, status.size - length);
    return buffer.toString('latin1', 0, read);
  } finally {
    closeSync(fd);
  }
};

/** What runtimes that compile while they run say of their code: `perf-PID.map`. */
const fromPerfMap = (directory: string, address: bigint): string | undefined => {
  try {
    const path = `${directory}/root/tmp/perf-${pidInside(directory) ?? ''}.map`;
    for (const line of lastTextOf(path).split('\n').toReversed()) {
      const [, start, size, name] = /^([0-9a-f]+) ([0-9a-f]+) (.*)$/.exec(line) ?? [];
      if (start === undefined || size === undefined) continue;
      const begin = BigInt(`0x${start}`);
      if (begin <= address && address < begin + BigInt(`0x${size}`))
        return name?.slice(0, MAX_NAME);
    }
  } catch {
    // it writes none
  }
  return undefined;
};

/** Undefined where nobody says. */
export const symbolAt = (
  procfsRoot: string,
  pid: number,
  mapping: Mapping | undefined,
  address: bigint,
): string | undefined => {
  const directory = `${procfsRoot}/${String(pid)}`;
  if (mapping === undefined) return undefined;
  return mapping.name.startsWith('/')
    ? fromFile(directory, mapping, address)
    : fromPerfMap(directory, address);
};
