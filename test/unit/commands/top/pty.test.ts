// SPDX-License-Identifier: Apache-2.0
/** The live table on a real pseudo-terminal: keys, resizing, and the terminal given back. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { onPty, type PtyProgram } from '../../../support/pty.js';
import { viewerProgram } from '../../../support/viewer-program.js';
import { pictureOf } from '../../../support/terminal.js';
import { until } from '../../../support/until.js';

const viewer = viewerProgram();
afterAll(viewer.remove);

const TIMEOUT_MILLIS = 40_000;
const started: PtyProgram[] = [];
afterEach(() => {
  for (const program of started.splice(0)) program.kill();
});

const top = async (args: string, env: Readonly<Record<string, string>> = {}) => {
  const program = await onPty(
    `${viewer.shellCommand} top ${args} --config ${viewer.configFile}`,
    env,
  );
  started.push(program);
  return program;
};

const seen = (program: PtyProgram): string => pictureOf(program.output()).lines.join('\n');

const shows = async (program: PtyProgram, text: string | RegExp): Promise<void> => {
  const found = (): boolean =>
    typeof text === 'string' ? seen(program).includes(text) : text.test(seen(program));
  await until(`the screen shows ${text}`, found, 20_000).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${seen(program)}`);
  });
};

describe('wattfeed top on a terminal', { timeout: TIMEOUT_MILLIS }, () => {
  it('refreshes in place, obeys keys and gives the terminal back', async () => {
    const program = await top('');
    await shows(program, '901 alice');
    await shows(program, 'measuring itself');
    const first = pictureOf(program.output());
    expect(first).toMatchObject({ isAlternate: true, isCursorHidden: true, isWrapping: false });
    expect(first.lines.slice(0, 24).every((line) => line.length <= 80)).toBe(true);
    expect(first.lines[23]).toContain('q quit');
    await shows(program, /window-\d+/);
    program.type('c');
    await shows(program, 'cgroups (own tasks only)');
    program.type('n');
    await shows(program, 'sums by command name');
    program.type('pt');
    await shows(program, 'processes as a tree');
    program.type('t/stress-ng-cpu\r');
    await shows(program, 'filter /stress-ng-cpu/');
    await shows(program, '2 processes');
    program.type('\x1b[BH');
    await shows(program, 'threads of 901 stress-ng-cpu');
    await shows(program, 'a-thread');
    program.type('\x1b');
    await shows(program, '2 processes');
    program.type('?');
    await shows(program, 'Any key leads back.');
    program.type(' ');
    await shows(program, '2 processes');
    program.type('q');
    expect(await program.ended()).toEqual({ exitCode: 0, isRestored: true });
    const last = pictureOf(program.output());
    expect(last).toMatchObject({ isAlternate: false, isCursorHidden: false, isWrapping: true });
  });

  it('follows the size of the terminal', async () => {
    const program = await top('');
    await shows(program, /901 alice/);
    program.resize(120, 40);
    await until('the last line moves to row 40', () =>
      (pictureOf(program.output()).lines[39] ?? '').includes('q quit'),
    );
    await shows(program, '/user.slice/user-1000.slice');
    // Here nobody could continue a stopped job, so the kernel does not stop it: top goes on.
    program.type('\x1ac');
    await shows(program, 'cgroups (own tasks only)');
    expect(program.output()).toContain('\x1b[?1049l');
    expect(pictureOf(program.output())).toMatchObject({ isAlternate: true });
    program.type('c');
    await shows(program, /901 alice/);
    program.resize(40, 10);
    await until('the table fits 40x10', () => {
      const { lines } = pictureOf(program.output());
      return (lines[9] ?? '').startsWith('wjC') && (lines[23] ?? '') === '';
    });
    expect(pictureOf(program.output()).lines.every((line) => line.length <= 40)).toBe(true);
    program.type('\x03');
    expect(await program.ended()).toEqual({ exitCode: 0, isRestored: true });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'gives the terminal back on %s',
    async (signal) => {
      const program = await top('');
      await shows(program, '901 alice');
      program.signal(signal);
      expect(await program.ended()).toEqual({ exitCode: 0, isRestored: true });
      expect(pictureOf(program.output()).isAlternate).toBe(false);
    },
  );

  it('says in one line, on the screen given back, that its source is gone', async () => {
    const program = await top('', { FAKE_ENDS_AFTER: '5' });
    expect(await program.ended()).toEqual({ exitCode: 1, isRestored: true });
    const afterwards = program.output().split('\x1b[?1049l')[1] ?? '';
    expect(afterwards).toContain(
      'wattfeed: follow agent 4242: it ended without a word; see its log\r\n',
    );
  });

  it('writes no colour where NO_COLOR says so, and prints lines on a dumb terminal', async () => {
    const plain = await top('', { NO_COLOR: '1' });
    await shows(plain, '901 alice');
    expect(plain.output()).not.toMatch(/\x1b\[[\d;]+m/);
    plain.type('q');
    expect(await plain.ended()).toEqual({ exitCode: 0, isRestored: true });
    const dumb = await top('--once', { TERM: 'dumb' });
    await dumb.ended();
    expect(dumb.output()).toContain('# measured (powercap)');
    expect(dumb.output()).not.toContain('\x1b');
  });
});
