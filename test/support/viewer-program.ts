// SPDX-License-Identifier: Apache-2.0
/** How to start `viewer-entry.ts` so that it joins no agent, whatever runs on this machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ViewerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly shellCommand: string;
  /** Says `socketPath` where an agent may listen. */
  readonly configFile: string;
  readonly socketPath: string;
  readonly remove: () => void;
}

export const viewerProgram = (): ViewerProgram => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-top-'));
  const configFile = join(directory, 'config.yaml');
  const socketPath = join(directory, 'agent.sock');
  writeFileSync(configFile, `agent: {socket_path: ${socketPath}}\n`);
  const entry = fileURLToPath(new URL('viewer-entry.ts', import.meta.url));
  const args = ['--import', 'tsx', entry];
  return {
    command: process.execPath,
    args,
    shellCommand: `"${process.execPath}" ${args.join(' ')}`,
    configFile,
    socketPath,
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
};
