// SPDX-License-Identifier: Apache-2.0
import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at the size it starts with. Left alone it grows to 3 x 16 MiB as soon as a
 * batch of windows makes garbage faster than it is collected, and hardly gives that back: docs/design/0002.
 * Where it starts is said in the first line of main.ts, which V8 must know before the program runs; this
 * holds also where Node was started by hand. V8 reads the flag whenever it would grow.
 */
export const keepYoungHeapSmall = (): void => {
  setFlagsFromString('--semi-space-growth-factor=1');
};
