// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';

/** The lines of the example that docs/trace-format.md gives. */
export const documentedTrace = (): readonly string[] => {
  const text = readFileSync(new URL('../../docs/trace-format.md', import.meta.url), 'utf8');
  const [, after = ''] = text.split('## The smallest trace');
  const [, block = ''] = after.split('```json\n');
  return (block.split('```')[0] ?? '').trim().split('\n');
};
