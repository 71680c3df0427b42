// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** What every Debian has (Priority: required); the set-up may use nothing else. */
const ESSENTIAL =
  'bash cat cut dirname find flock grep head id mkdir mv rm sed sha256sum sleep sort tail tr uname wc xargs'.split(
    ' ',
  );

let folder = '';
let binFolder = '';

const fake = (name: string, body: string): void => {
  const path = join(binFolder, name);
  rmSync(path, { force: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
};

/** One shell for all of them: it costs more than all the rest of a test. */
const REAL_PATHS = spawnSync('/bin/bash', ['-c', `type -P ${ESSENTIAL.join(' ')}`], {
  encoding: 'utf8',
})
  .stdout.trim()
  .split('\n');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wattfeed-setup-'));
  binFolder = join(folder, 'bin');
  mkdirSync(binFolder);
  for (const path of REAL_PATHS) symlinkSync(path, join(binFolder, basename(path)));
  symlinkSync(process.execPath, join(binFolder, 'node'));
  fake('npm', 'exit 1');
  fake('bpftool', 'exit 1');
  expect(REAL_PATHS).toHaveLength(ESSENTIAL.length);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const environment = (): NodeJS.ProcessEnv => ({
  PATH: binFolder,
  XDG_CACHE_HOME: folder,
  WATTFEED_OS_RELEASE: join(folder, 'os-release'),
  WATTFEED_INCLUDE_ROOT: join(folder, 'include'),
});

const bash = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Outcome =>
  spawnSync(join(binFolder, 'bash'), [...args], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...environment(), ...env },
  });

const plan = (): Outcome => bash(['scripts/setup.sh', '--for', 'test', '--dry-run']);

/** Runs a line with the set-up's functions loaded. */
const withLibraries = (line: string): Outcome =>
  bash([
    '-c',
    `set -euo pipefail; for part in log system node build; do . scripts/lib/$part.sh; done; ${line}`,
  ]);

describe('setup.sh', () => {
  it('names what is missing and exits 2 on a system without apt-get', () => {
    fake('dnf', 'exit 1');
    const outcome = plan();
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('no apt-get');
    expect(outcome.stderr).toContain('libbpf-devel');
    expect(outcome.stderr).toContain('elfutils-libelf-devel');
  });

  it('tells an ordinary user the one command that root has to run', () => {
    writeFileSync(join(folder, 'os-release'), 'ID=debian\n');
    fake('apt-get', 'exit 1');
    fake('id', 'echo 1000');
    const outcome = plan();
    expect(outcome.status).toBe(1);
    expect(outcome.stderr).toMatch(
      /run "apt-get install --no-install-recommends .*bpftool.* libbpf-dev .*" as root/,
    );
  });

  it('takes bpftool from the kernel tools on Ubuntu', () => {
    writeFileSync(join(folder, 'os-release'), 'ID=ubuntu\nVERSION_ID="24.04"\n');
    fake('apt-get', 'exit 1');
    fake('id', 'echo 0');
    const outcome = plan();
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).toContain('linux-tools-common linux-tools-generic');
    expect(outcome.stderr).not.toMatch(/ bpftool /);
  });

  it('does nothing and prints nothing to stdout in a dry run', () => {
    writeFileSync(join(folder, 'os-release'), 'ID=debian\n');
    fake('apt-get', `touch ${join(folder, 'apt-was-called')}`);
    fake('id', 'echo 0');
    const outcome = plan();
    expect(outcome.status).toBe(0);
    expect(outcome.stdout).toBe('');
    expect(spawnSync('/bin/ls', [folder], { encoding: 'utf8' }).stdout).not.toContain('wattfeed');
    expect(spawnSync('/bin/ls', [folder], { encoding: 'utf8' }).stdout).not.toContain('apt-was');
  });

  it('does not wait for the set-up of another checkout where nothing is to do', () => {
    const checkout = join(folder, 'checkout');
    cpSync('scripts', join(checkout, 'scripts'), { recursive: true });
    for (const part of ['node_modules/.bin', 'dist/receiver', 'native/build/Release'])
      mkdirSync(join(checkout, part), { recursive: true });
    writeFileSync(join(checkout, 'package-lock.json'), '{}');
    writeFileSync(join(checkout, 'native/build/Release/wattfeed.node'), '');
    mkdirSync(join(folder, 'wattfeed'));
    const outcome = bash([
      '-c',
      `set -e; cd ${checkout}; . scripts/lib/build.sh
      modules_key >node_modules/.wattfeed-key
      dist_key >dist/.wattfeed-key
      addon_key >native/build/.wattfeed-key
      exec flock ${join(folder, 'wattfeed')} bash scripts/setup.sh`,
    ]);
    expect(outcome.status).toBe(0);
    expect(outcome.stderr).not.toContain('wattfeed set-up');
  });

  it('asks on a terminal before it installs, and takes no for an answer', async () => {
    writeFileSync(join(folder, 'os-release'), 'ID=debian\n');
    fake('apt-get', `: >${join(folder, 'apt-was-called')}`);
    fake('id', 'echo 0');
    // Not this checkout: where all is built, nothing is missing and nothing is asked.
    const checkout = join(folder, 'checkout');
    cpSync('scripts', join(checkout, 'scripts'), { recursive: true });
    writeFileSync(join(checkout, 'package-lock.json'), '{}');
    const terminal = spawn(
      '/usr/bin/script',
      ['-qec', `${join(binFolder, 'bash')} scripts/setup.sh`, '/dev/null'],
      { cwd: checkout, env: environment(), stdio: ['pipe', 'pipe', 'inherit'] },
    );
    let stdout = '';
    terminal.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      // Answered when asked: what comes before is not read by everybody's terminal.
      if (stdout.includes('[Y/n]') && terminal.stdin.writable) terminal.stdin.end('n\n');
    });
    const [status]: unknown[] = await once(terminal, 'close');
    expect(stdout).toMatch(
      /system packages .*clang.*Install the system packages above\? \[Y\/n\]/s,
    );
    expect(stdout).toContain('nothing was installed');
    expect(status).toBe(1);
    expect(existsSync(join(folder, 'apt-was-called'))).toBe(false);
  });

  it('refuses an option it does not know with exit 2', () => {
    expect(bash(['scripts/setup.sh', '--yess']).status).toBe(2);
    expect(bash(['scripts/setup.sh', '--for', 'lunch']).status).toBe(2);
  });
});

describe('node_is_new_enough', () => {
  it.each([
    ['v22.15.0', 'yes'],
    ['v24.1.0', 'yes'],
    ['v22.14.9', 'no'],
    ['v20.20.2', 'no'],
    ['v9.99.0', 'no'],
    ['', 'no'],
    ['not a version', 'no'],
  ])('judges %s: %s', (version, expected) => {
    fake('some-node', `echo "${version}"`);
    const line = `node_is_new_enough ${join(binFolder, 'some-node')} && echo yes || echo no`;
    expect(withLibraries(line).stdout.trim()).toBe(expected);
  });

  it('says no for a node that does not start', () => {
    expect(withLibraries('node_is_new_enough /nonexistent && echo yes || echo no').stdout).toBe(
      'no\n',
    );
  });
});

describe('hash_files', () => {
  const tree = () => resolve(folder, 'tree');
  const key = () => withLibraries(`hash_files ${tree()}`).stdout.trim();

  beforeEach(() => {
    mkdirSync(join(tree(), 'build'), { recursive: true });
    writeFileSync(join(tree(), 'a.c'), 'int a;');
  });

  it('is the same for the same files and ignores what a build writes', () => {
    const before = key();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    writeFileSync(join(tree(), 'build', 'a.o'), 'object');
    expect(key()).toBe(before);
  });

  it('changes with a content, a new file and a new name', () => {
    const keys = new Set([key()]);
    writeFileSync(join(tree(), 'a.c'), 'int b;');
    keys.add(key());
    writeFileSync(join(tree(), 'b.c'), '');
    keys.add(key());
    rmSync(join(tree(), 'b.c'));
    writeFileSync(join(tree(), 'c.c'), '');
    keys.add(key());
    expect(keys.size).toBe(4);
  });
});

describe('run_step', () => {
  it('shows the tail of the log, says where the whole is, and exits 1 when a step fails', () => {
    const outcome = withLibraries(
      `open_log; run_step "compile" bash -c 'echo first-cause; exit 7'; echo went-on`,
    );
    expect(outcome.status).toBe(1);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toContain('| first-cause');
    expect(outcome.stderr).toContain('exit code 7');
    expect(outcome.stderr).toContain(join(folder, 'wattfeed', 'setup.log'));
  });

  it('goes on after a step that works, without its output', () => {
    const outcome = withLibraries(`open_log; run_step "compile" echo noise; echo went-on`);
    expect(outcome.status).toBe(0);
    expect(outcome.stdout).toBe('went-on\n');
    expect(outcome.stderr).not.toContain('noise');
    expect(outcome.stderr).toContain('compile: done');
  });
});
