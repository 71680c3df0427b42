// SPDX-License-Identifier: Apache-2.0
/** The commands that the README tells its reader to type, so that what is proven is what stands there. */
import { readFileSync } from 'node:fs';

const README = new URL('../../README.md', import.meta.url);

/** Lines of the first shell block after a text in bold. */
export const readmeCommands = (title: string): readonly string[] => {
  const [, after] = readFileSync(README, 'utf8').split(`**${title}**`);
  const block = /```sh\n([\s\S]*?)```/.exec(after ?? '')?.[1];
  if (block === undefined) throw new Error(`read README.md: no block for ${title}`);
  return block.split('\n').filter((line) => line !== '');
};
