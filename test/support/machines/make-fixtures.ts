// SPDX-License-Identifier: Apache-2.0
/** Writes test/fixtures/sysfs anew from machines.ts: `npx tsx test/support/machines/make-fixtures.ts`. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MACHINES } from './machines.js';
import { FIXTURES, writeTree } from './write-tree.js';

rmSync(FIXTURES, { recursive: true, force: true });
for (const machine of MACHINES) {
  writeTree(join(FIXTURES, machine.name), machine.tree);
  process.stdout.write(`${machine.name}: ${String(machine.tree.size)} entries\n`);
}
