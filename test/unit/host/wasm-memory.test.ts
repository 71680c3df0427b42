// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const MODULE = new URL('../../../receiver/host/wasm-memory.ts', import.meta.url).href;
/** 20 as V8 likes, of which its second compiler takes most; below 2 otherwise. */
const SMALL_MEBIBYTES = 8;

/**
 * MiB that come to the process with the first decoders, after the disassembler was loaded. In a process of
 * its own: the setting holds for a whole process.
 */
const PROGRAM = `
  const { keepWasmAsCompiledFirst } = await import(process.argv[1]);
  if (process.argv[2] === 'small') keepWasmAsCompiledFirst();
  const { Decoder } = await import('iced-x86');
  const before = process.memoryUsage.rss();
  for (let at = 0; at < 200; at += 1) new Decoder(64, new Uint8Array([0xf3, 0x90]), 0).free();
  const grown = () => (process.memoryUsage.rss() - before) / 2 ** 20;
  // The second compiler works beside, and leaves its memory behind.
  const end = performance.now() + Number(process.argv[3]);
  while (performance.now() < end && grown() < Number(process.argv[4]))
    await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(grown());
`;

/** As soon as it is more than small, at the latest after `waitMillis`. */
const grownMebibytes = (kind: 'small' | 'as V8 likes', waitMillis: number): number => {
  const args = [MODULE, kind, String(waitMillis), String(SMALL_MEBIBYTES)];
  const flags = ['--input-type=module', '-e', PROGRAM, ...args];
  return Number(execFileSync(process.execPath, flags, { encoding: 'utf8', env: {} }));
};

describe('keepWasmAsCompiledFirst', () => {
  it('keeps the disassembler from being compiled twice', () => {
    expect(grownMebibytes('as V8 likes', 20_000)).toBeGreaterThanOrEqual(SMALL_MEBIBYTES);
    expect(grownMebibytes('small', 1_000)).toBeLessThan(SMALL_MEBIBYTES);
  });
});
