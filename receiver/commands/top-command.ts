// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { addConfigFlags } from './config-flags.js';
import { failed } from './outcome.js';
import type { Finish, ProgramDeps } from './deps.js';

export const topCommand = (_deps: ProgramDeps, finish: Finish): Command => {
  const command = new Command('top').description('live table');
  addConfigFlags(command);
  return command.action(() => {
    finish(failed({ what: 'top', cause: 'not built yet', remedy: 'wait' }));
  });
};
