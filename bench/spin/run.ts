// SPDX-License-Identifier: Apache-2.0
/**
 * Programs that spin and programs that work, for longer than a test may take; prints how often what was
 * called what. `npm run bench:spin`:
 *   (nothing)   each alone for SPIN_SECONDS (20), examined again and again; SPIN_MIXED=1: twelve at a time
 *   -- --mixed  many at once, and the agent beside them (mixed.ts)
 *   -- --vm     in the simulated machine, with hardware counters (vm.ts)
 * SPIN_ONLY picks those with that in their names.
 */
import { runAlone } from './alone.js';
import { runMixed } from './mixed.js';
import { runInMachine } from './vm.js';

const only = process.env['SPIN_ONLY'] ?? '';
const [how] = process.argv.slice(2);
if (how === '--vm') await runInMachine(only);
else if (how === '--mixed') await runMixed(only);
else await runAlone(only);
