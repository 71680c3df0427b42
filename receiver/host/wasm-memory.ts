// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';

/** In bytes of code run, about; V8's own is 13 million. */
const NEVER = 1_000_000_000;

/**
 * Lets WebAssembly run as it was compiled first. The disassembler fills its tables once, in one long
 * function; compiling that anew takes 20 MiB and 60 ms of CPU time, and it has ended before that is done.
 * To be called before a module is loaded, in any thread.
 */
export const keepWasmAsCompiledFirst = (): void => {
  setFlagsFromString(`--wasm-tiering-budget=${String(NEVER)}`);
};
