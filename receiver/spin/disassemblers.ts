// SPDX-License-Identifier: Apache-2.0
/** The disassembler of this machine's programs; loaded when the first thread is examined. */
import { arm64Disassembler } from './arm64.js';
import type { DisassemblerFor } from './examine.js';

let loaded: Promise<DisassemblerFor> | undefined;

const loadX86 = async (): Promise<DisassemblerFor> => {
  const { x86Disassembler } = await import('./x86.js');
  const [narrow, wide] = [x86Disassembler(32), x86Disassembler(64)];
  return (is32Bit) => (is32Bit ? narrow : wide);
};

/** None where no decoder knows the architecture: verdicts then go by states and calls alone. */
export const loadDisassemblers = async (architecture: string): Promise<DisassemblerFor> => {
  if (architecture === 'arm64') return (is32Bit) => (is32Bit ? undefined : arm64Disassembler);
  if (architecture !== 'x64') return () => undefined;
  return (loaded ??= loadX86());
};
