// SPDX-License-Identifier: Apache-2.0
/** C to machine code for tests of the loop analysis: one function, compiled, where it would lie. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadMemory } from '../../receiver/spin/code-map.js';

export interface CompiledCode {
  readonly read: ReadMemory;
  /** Address of a label: a function's name. */
  readonly addressOf: (name: string) => bigint;
}

const BASE = 0x40_0000n;
const CHUNK = 256;

/** Freestanding, laid out flat at a fixed address: file offset and address differ by BASE. */
export const compileC = (source: string, flags: readonly string[] = ['-O2']): CompiledCode => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-code-'));
  try {
    const [input, program, flat] = ['code.c', 'code', 'code.bin'].map((name) =>
      join(directory, name),
    );
    if (input === undefined || program === undefined || flat === undefined) throw new Error('path');
    writeFileSync(input, source);
    const layout = [
      '-nostdlib',
      '-static',
      '-no-pie',
      '-fcf-protection=none',
      '-Wl,--build-id=none',
    ];
    const place = [
      `-Wl,-Ttext=0x${BASE.toString(16)}`,
      '-Wl,-e,0',
      '-fno-asynchronous-unwind-tables',
    ];
    execFileSync('cc', [...flags, ...layout, ...place, '-o', program, input]);
    execFileSync('objcopy', ['-O', 'binary', '-j', '.text', program, flat]);
    const symbols = execFileSync('nm', [program], { encoding: 'utf8' });
    const bytes = readFileSync(flat);
    return {
      read: (address) => {
        const at = Number(address - BASE);
        return at < 0 || at >= bytes.length ? undefined : bytes.subarray(at, at + CHUNK);
      },
      addressOf: (name) => {
        const line = symbols.split('\n').find((one) => one.endsWith(` ${name}`));
        if (line === undefined) throw new Error(`no symbol ${name}`);
        return BigInt(`0x${line.split(' ')[0] ?? ''}`);
      },
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

const SECTION_HEADER_BYTES = 64;

/** The bytes of `.text` of an ELF object of 64 bits; the first section that has instructions. */
const textOf = (object: Buffer): Buffer => {
  const [table, count] = [Number(object.readBigUInt64LE(40)), object.readUInt16LE(60)];
  for (let at = 0; at < count; at += 1) {
    const header = object.subarray(table + at * SECTION_HEADER_BYTES);
    const [isProgram, flags] = [header.readUInt32LE(4) === 1, header.readBigUInt64LE(8)];
    const [offset, size] = [header.readBigUInt64LE(24), header.readBigUInt64LE(32)].map(Number);
    if (isProgram && (flags & 4n) !== 0n && size !== undefined && size > 0 && offset !== undefined)
      return object.subarray(offset, offset + size);
  }
  throw new Error('no code in the object');
};

/** One function for AArch64 that refers to nothing outside, at BASE. */
export const compileArm64 = (source: string, flags: readonly string[] = ['-O2']): CompiledCode => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-code-'));
  try {
    const [input, output] = [join(directory, 'code.c'), join(directory, 'code.o')];
    writeFileSync(input, source);
    const target = ['--target=aarch64-linux-gnu', '-ffreestanding', '-c'];
    execFileSync('clang', [...target, ...flags, '-o', output, input]);
    const bytes = textOf(readFileSync(output));
    return {
      read: (address) => {
        const at = Number(address - BASE);
        return at < 0 || at >= bytes.length ? undefined : bytes.subarray(at, at + CHUNK);
      },
      addressOf: () => BASE,
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
};
