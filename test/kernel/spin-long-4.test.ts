// SPDX-License-Identifier: Apache-2.0
/** Programs that work, for 20 s each on a CPU of its own: quarter 4 of them. */
import { describeLongRun } from '../support/kernel/long-run.js';

describeLongRun(3);
