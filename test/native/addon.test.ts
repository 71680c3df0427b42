// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KERNEL_FEATURES } from '../support/kernel-features.js';
import { ADDON_PATH, port, sessionOptions } from './support.js';

const ROOT = join(import.meta.dirname, '../..');

/** What `activityPort()` says in a process that is told to load the addon at that path. */
const portOf = (addonPath: string): unknown => {
  const code = `import('./native/index.ts').then(({ activityPort }) =>
    console.log(JSON.stringify(activityPort())));`;
  const child = spawnSync(process.execPath, ['--import', 'tsx', '-e', code], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, WATTFEED_ADDON: addonPath },
  });
  return JSON.parse(child.stdout);
};

describe('activityPort', () => {
  it('names the command to run where the addon is not built', () => {
    expect(portOf('/nonexistent.node')).toMatchObject({
      left: {
        operation: 'load addon',
        code: 'ENOENT',
        detail: 'not built; run npm run build',
      },
    });
  });

  it('refuses an addon whose layouts are not those of this program', () => {
    const directory = mkdtempSync(join(tmpdir(), 'wattfeed-addon-'));
    const older = join(directory, 'older.cjs');
    // a real addon but for what it says of itself: what a forgotten rebuild leaves
    writeFileSync(
      older,
      `const addon = require(${JSON.stringify(ADDON_PATH)});
       const { windowTask } = addon.layoutSizesBytes;
       module.exports = { ...addon, layoutSizesBytes: { ...addon.layoutSizesBytes, windowTask: windowTask - 8 } };`,
    );
    const refused = portOf(older);
    rmSync(directory, { recursive: true });
    expect(refused).toMatchObject({
      left: {
        operation: 'load addon',
        code: 'ENOEXEC',
        detail: expect.stringMatching(
          /older\.cjs was built from other sources: its windowTask has \d+ bytes, this program's \d+; run npm run build$/,
        ),
      },
    });
  });
});

describe('openSession', () => {
  it('is refused to an unprivileged user with the operation and errno', () => {
    const code = `process.setgid(65534); process.setuid(65534);
      require(process.argv[1]).openSession(JSON.parse(process.argv[2]))
        .then((result) => console.log(JSON.stringify(result)));`;
    const child = spawnSync(
      process.execPath,
      ['-e', code, ADDON_PATH, JSON.stringify(sessionOptions())],
      { encoding: 'utf8' },
    );
    expect(JSON.parse(child.stdout)).toMatchObject({
      ok: false,
      operation: 'load accounting',
      errno: 1,
    });
  });
});

describe('probeFeatures', () => {
  it('finds every feature that is needed where this suite runs, and names them all', () => {
    const features = port().probeFeatures();
    const missing = features.filter(
      ({ name, isAvailable }) => !isAvailable && name !== 'cpu_times',
    );
    expect(missing).toEqual([]);
    expect(features.map((feature) => feature.name)).toEqual(KERNEL_FEATURES);
  });

  it('says what an unprivileged user lacks, with the errno', () => {
    const code = `process.setgid(65534); process.setuid(65534);
      console.log(JSON.stringify(addon.probeFeatures()));`;
    const child = spawnSync(
      process.execPath,
      ['-e', `const addon = require(process.argv[1]); ${code}`, ADDON_PATH],
      { encoding: 'utf8' },
    );
    const features: unknown = JSON.parse(child.stdout);
    expect(features).toEqual(
      expect.arrayContaining([
        {
          name: 'cap_bpf',
          isAvailable: false,
          errno: 1,
          detail: 'read CapEff: Operation not permitted; not in the effective set',
        },
        expect.objectContaining({ name: 'tp_btf', isAvailable: false, errno: 1 }),
        expect.objectContaining({ name: 'bpffs', isAvailable: false }),
        expect.objectContaining({ name: 'btf', isAvailable: true, errno: 0 }),
      ]),
    );
  });
});
