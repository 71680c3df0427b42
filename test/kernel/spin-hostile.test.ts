// SPDX-License-Identifier: Apache-2.0
/** Processes that are awkward to look at: a verdict or an honest `Unknown`, never a crash. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { examineProcess } from '../../receiver/agent/examine-process.js';
import type { ExaminedThread } from '../../receiver/spin/examine.js';
import { CORPUS } from '../spin/corpus.js';
import { untilDefined } from '../support/until.js';

const SPINNER = `${CORPUS}build/spinners-O2`;
const FIRST_SAMPLES_MILLIS = 500;
const directory = mkdtempSync(join(tmpdir(), 'wattfeed-hostile-'));
const children: ChildProcess[] = [];

const start = async (command: string, ...args: readonly string[]): Promise<number> => {
  const child = spawn(command, args, { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? -1;
};

const examined = async (pid: number, procfsRoot = '/proc'): Promise<readonly ExaminedThread[]> => {
  const result = await examineProcess({ procfsRoot, pid, seconds: 2, pollers: [] })();
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const busiest = async (pid: number, procfsRoot = '/proc'): Promise<ExaminedThread> =>
  untilDefined('samples of it', async () => (await examined(pid, procfsRoot))[0], {
    deadlineMillis: 60_000,
    everyMillis: 100,
  });

const verdictOf = ({ verdict }: ExaminedThread): string =>
  verdict._tag === 'Spinning' ? verdict.kind : verdict._tag;

const copyOf = (name: string): string => {
  const path = join(directory, name);
  copyFileSync(SPINNER, path);
  return path;
};

/** 32-bit: `again: cmpl $0, flag; je again`, in one page that is mapped as it is. */
const tinyProgram = (): Buffer => {
  const base = 0x08048000;
  const entry = 84;
  const code = Buffer.from([0x83, 0x3d, 0, 0, 0, 0, 0, 0x74, 0xf7]);
  code.writeUInt32LE(base + entry + 16, 2);
  const file = Buffer.alloc(entry + 32);
  Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1]).copy(file);
  file.writeUInt16LE(2, 16); // ET_EXEC
  file.writeUInt16LE(3, 18); // EM_386
  file.writeUInt32LE(1, 20);
  file.writeUInt32LE(base + entry, 24);
  file.writeUInt32LE(52, 28);
  file.writeUInt16LE(52, 40);
  file.writeUInt16LE(32, 42);
  file.writeUInt16LE(1, 44);
  [1, 0, base, base, file.length, file.length, 5, 0x1000].forEach((word, at) =>
    file.writeUInt32LE(word, 52 + 4 * at),
  );
  code.copy(file, entry);
  return file;
};

describe('examineProcess', () => {
  beforeAll(() => {
    execFileSync('make', ['--silent', '-C', CORPUS, 'build/spinners-O2'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  it('says unknown of a process that ends while it is looked at', async () => {
    const pid = await start(SPINNER, 'flag');
    const examination = examined(pid);
    await wait(FIRST_SAMPLES_MILLIS);
    children[0]?.kill('SIGKILL');
    const verdicts = (await examination).map(verdictOf);
    expect(verdicts.filter((verdict) => verdict !== 'Unknown')).toEqual([]);
  });

  it('says unknown where the memory cannot be read', async () => {
    const pid = await start(SPINNER, 'flag');
    const root = join(directory, 'proc');
    mkdirSync(join(root, String(pid)), { recursive: true });
    symlinkSync(`/proc/${String(pid)}/task`, join(root, String(pid), 'task'));
    const thread = await busiest(pid, root);
    expect(verdictOf(thread)).toBe('Unknown');
    expect(thread.listing).toEqual([]);
  });

  it('names the function, if the file has symbols', async () => {
    const thread = await busiest(await start(SPINNER, 'flag'));
    expect([verdictOf(thread), thread.hottestFunction]).toEqual(['flag', 'flag_loop']);
  });

  it('needs no symbols', async () => {
    const path = copyOf('stripped');
    execFileSync('strip', [path]);
    const thread = await busiest(await start(path, 'flag'));
    expect([verdictOf(thread), thread.hottestFunction]).toEqual(['flag', undefined]);
  });

  it('needs no file', async () => {
    const path = copyOf('deleted');
    const pid = await start(path, 'flag');
    await untilDefined('the program', () =>
      readFileSync(`/proc/${String(pid)}/comm`, 'utf8') === 'deleted\n' ? true : undefined,
    );
    unlinkSync(path);
    const thread = await busiest(pid);
    expect([verdictOf(thread), thread.hottestFunction]).toEqual(['flag', 'flag_loop']);
    expect(thread.hottestPlace).toContain('(deleted)');
  });

  it('sees into another PID namespace', async () => {
    const outer = await start('unshare', '--pid', '--fork', '--kill-child', SPINNER, 'flag');
    const pid = await untilDefined('the process inside', () => {
      const path = `/proc/${String(outer)}/task/${String(outer)}/children`;
      const inner = Number(readFileSync(path, 'utf8').trim());
      return inner > 0 ? inner : undefined;
    });
    expect(verdictOf(await busiest(pid))).toBe('flag');
  });

  it('sees, being root, a process that forbids to be traced', async () => {
    const source = 'import ctypes\nctypes.CDLL(None).prctl(4, 0)\nwhile True: pass';
    const pid = await start('python3', '-c', source);
    await wait(FIRST_SAMPLES_MILLIS);
    expect(['flag', 'Unknown']).toContain(verdictOf(await busiest(pid)));
  });

  it('knows 32-bit code', async () => {
    const path = join(directory, 'tiny');
    writeFileSync(path, tinyProgram(), { mode: 0o755 });
    const thread = await busiest(await start(path));
    expect(verdictOf(thread)).toBe('flag');
    expect(thread.listing.map(({ text }) => text.split(' ')[0])).toEqual(['cmpl', 'je']);
  });

  it('waits for no pipe in the place of a map of compiled code', async () => {
    const source = 'const pid = process.pid; while (true) {}';
    const pid = await start(process.execPath, '-e', source);
    const path = `/tmp/perf-${String(pid)}.map`;
    execFileSync('mkfifo', [path]);
    await wait(FIRST_SAMPLES_MILLIS);
    const thread = await busiest(pid);
    rmSync(path);
    expect([verdictOf(thread), thread.hottestFunction]).toEqual(['flag', undefined]);
  });

  it('names what a compiler made while running, if it says so', async () => {
    const source = 'function waits() { while (true) {} } waits()';
    const pid = await start(process.execPath, '--perf-basic-prof', '-e', source);
    await wait(FIRST_SAMPLES_MILLIS);
    const thread = await busiest(pid);
    rmSync(`/tmp/perf-${String(pid)}.map`, { force: true });
    expect([verdictOf(thread), thread.hottestFunction]).toEqual([
      'flag',
      expect.stringContaining('waits'),
    ]);
  });
});
