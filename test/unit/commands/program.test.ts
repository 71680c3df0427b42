// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../receiver/config/config.js';
import type { FeedOptions } from '../../../receiver/feed/run-feed.js';
import type { CheckOptions, ProgramDeps } from '../../../receiver/commands/deps.js';
import { runProgram } from '../../../receiver/commands/program.js';
import type { ReportSource } from '../../../receiver/model/report-source.js';
import { systemClock } from '../../../receiver/host/clock.js';
import { serveReports } from '../../../receiver/socket/server.js';
import { agentReport, laterReport } from '../../support/agent-report.js';
import { fakeAgent, fakePeers } from '../../support/fake-agent.js';

let directory: string;
let configFile: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'wattfeed-program-'));
  configFile = join(directory, 'config.yaml');
  writeFileSync(configFile, `agent: {socket_path: ${join(directory, 'agent.sock')}}\n`);
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

interface Calls {
  readonly run: Config[];
  readonly check: CheckOptions[];
  readonly feed: FeedOptions[];
  readonly windowMillis: number[];
  readonly closed: string[];
}

const textOf = (stream: PassThrough): string => String(stream.read() ?? '');

const execute = async (argv: readonly string[], over: Partial<ProgramDeps> = {}) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const calls: Calls = { run: [], check: [], feed: [], windowMillis: [], closed: [] };
  const ownMeasuring: ReportSource = {
    origin: { _tag: 'Own' },
    latest: () => agentReport(),
    subscribe: () => () => undefined,
    onEnd: () => () => undefined,
    setOptions: () => undefined,
    record: () => undefined,
    explain: async () => Promise.resolve(undefined),
    close: async () => {
      calls.closed.push('own');
      return Promise.resolve();
    },
  };
  const deps: ProgramDeps = {
    version: '1.2.3',
    io: { stdin: new PassThrough(), stdout, stderr, env: {}, clock: systemClock },
    run: (config) => TE.fromIO(() => void calls.run.push(config)),
    check: (_config, options) =>
      TE.fromIO(() => {
        calls.check.push(options);
        return true;
      }),
    feed: (_config, options) =>
      TE.fromIO(() => {
        calls.feed.push(options);
        return true;
      }),
    examine: () => TE.right([]),
    measure: (_config, { windowMillis }) =>
      TE.fromIO(() => {
        calls.windowMillis.push(windowMillis);
        return ownMeasuring;
      }),
    ...over,
  };
  const exitCode = await runProgram(deps, argv);
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr), calls };
};

const COMPLAINT = { what: 'load accounting', cause: 'EPERM', remedy: 'run as root' };

describe('runProgram', () => {
  it('prints its version and help on standard output and ends with 0', async () => {
    expect(await execute(['--version'])).toMatchObject({ exitCode: 0, stdout: '1.2.3\n' });
    const help = await execute(['--help']);
    expect(help.exitCode).toBe(0);
    expect(help.stdout).toContain('Exit codes: 0 fine, 1 failed, 2 wrong usage');
    for (const name of ['run', 'top', 'check', 'config'])
      expect(help.stdout).toContain(`  ${name} [options] `);
    const named = await execute(['help', 'top']);
    expect([named.exitCode, named.stdout.includes('--interval')]).toEqual([0, true]);
  });

  it.each(['', 'run', 'top', 'check', 'explain', 'feed', 'record', 'replay', 'spin', 'config'])(
    'keeps the help of "%s" within 80 columns, and gives examples in it',
    async (command) => {
      const { stdout } = await execute([...(command === '' ? [] : [command]), '--help']);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(stdout).toMatch(/^Examples:\n {2}wattfeed /m);
    },
  );

  it('shows what only the agent obeys in the help of run alone', async () => {
    for (const [command, isShown] of [
      ['run', true],
      ['top', false],
      ['explain', false],
    ] as const)
      expect((await execute([command, '--help'])).stdout.includes('--csv')).toBe(isShown);
  });

  it('prints its help on standard error and ends with 2 where no command is given', async () => {
    const { exitCode, stdout, stderr } = await execute([]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Usage: wattfeed');
  });

  it('says that it has no help of a word that is no command', async () => {
    const { exitCode, stderr } = await execute(['help', 'topp']);
    expect([exitCode, stderr.split('\n').at(-2)]).toEqual([
      2,
      "wattfeed: parse arguments: unknown command 'topp'; did you mean top?",
    ]);
  });

  it.each([
    [['topp'], "unknown command 'topp'; did you mean top? see wattfeed --help"],
    [['top', '--onec'], "unknown option '--onec'; did you mean --once? see wattfeed top --help"],
    [
      ['run', '--window-milis', '3'],
      "unknown option '--window-milis'; did you mean --window-millis? see wattfeed run --help",
    ],
    [
      ['run', 'now'],
      "too many arguments for 'run'. Expected 0 arguments but got 1: now; see wattfeed run --help",
    ],
    [
      ['top', '-I', '0.1'],
      "option '-I, --interval <seconds>' argument '0.1' is invalid. 0.2 to 60 seconds; see wattfeed top --help",
    ],
    [
      ['top', '--filter', '('],
      "option '--filter <regex|pid>' argument '(' is invalid. not a regular expression; see wattfeed top --help",
    ],
    [
      ['top', '--tree', '--by', 'user'],
      '--tree has no meaning with --by user; use --by process or --by cgroup',
    ],
  ])('says %j in one line and ends with 2', async (argv, text) => {
    const { exitCode, stdout, stderr } = await execute(argv);
    expect([exitCode, stdout, stderr]).toEqual([2, '', `wattfeed: parse arguments: ${text}\n`]);
  });

  it('does not let a key of the file drive the terminal or forge a line', async () => {
    const file = join(directory, 'hostile.yaml');
    writeFileSync(file, '"\\e[2J\\nwattfeed: all is fine": 1\n');
    const { exitCode, stderr } = await execute(['config', '--config', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(' \\x1B[2J\\x0Awattfeed: all is fine: unknown key');
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  it.each([[], ['run'], ['top'], ['check'], ['config']])('gives %j an example', async (...argv) => {
    const { exitCode, stdout } = await execute([...argv, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Examples:\n {2}\S*wattfeed/);
  });

  it.each([[], ['run'], ['top'], ['check'], ['config']])(
    'fits the help of %j into 80 columns',
    async (...argv) => {
      const { stdout } = await execute([...argv, '--help']);
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    },
  );

  it.each([['run'], ['top'], ['check']])(
    'says in the help of %s where all flags are',
    async (argv) => {
      const { stdout } = await execute([argv, '--help']);
      expect(stdout).toContain('wattfeed config --help');
    },
  );
});

describe('wattfeed run', () => {
  it('passes the configuration of file and flags, and ends with 0', async () => {
    const argv = [
      'run',
      '--config',
      configFile,
      '--window-millis',
      '500',
      '--sysfs-root',
      '/h/sys',
    ];
    const { exitCode, calls } = await execute(argv);
    expect(exitCode).toBe(0);
    expect(calls.run).toMatchObject([
      {
        windowMillis: 500,
        roots: { sysfs: '/h/sys' },
        agent: { socketPath: join(directory, 'agent.sock') },
      },
    ]);
  });

  it('takes a short flag and the long one for the same key; the last one counts', async () => {
    const argv = ['run', '--config', configFile, '--roots-sysfs', '/a', '--sysfs-root', '/b'];
    expect((await execute(argv)).calls.run).toMatchObject([{ roots: { sysfs: '/b' } }]);
  });

  it('says every mistake of the configuration and ends with 2', async () => {
    const { exitCode, stderr, calls } = await execute([
      ...['run', '--config', configFile, '--window-millis', '5', '--log-level', 'loud'],
    ]);
    expect([exitCode, calls.run.length, stderr.trimEnd().split('\n').length]).toEqual([2, 0, 2]);
  });

  it('says in one line why it failed and ends with 1', async () => {
    const { exitCode, stderr } = await execute(['run', '--config', configFile], {
      run: () => TE.left(COMPLAINT),
    });
    expect([exitCode, stderr]).toEqual([1, 'wattfeed: load accounting: EPERM; run as root\n']);
  });
});

describe('wattfeed explain', () => {
  it('tells a process that has not run from one that is not there', async () => {
    const pid = String(process.pid);
    const sleeps = await execute(['explain', pid, '--config', configFile]);
    expect(sleeps.exitCode).toBe(1);
    expect(sleeps.stderr).toContain('it has not run since measuring began');
    const absent = await execute([
      'explain',
      pid,
      '--config',
      configFile,
      '--procfs-root',
      directory,
    ]);
    expect(absent.exitCode).toBe(1);
    expect(absent.stderr).toContain('there is no such process');
  });
});

describe('wattfeed feed', () => {
  it('hands its options on, and ends with 1 where no scheduler would take the feed', async () => {
    const argv = [
      'feed',
      '--config',
      configFile,
      '--json',
      '--watch',
      '2',
      '--set',
      'pid:1 power_mw=5',
      '--set',
      'state reference_power_mw=9',
    ];
    const { exitCode, calls } = await execute(argv);
    expect(exitCode).toBe(0);
    expect(calls.feed).toMatchObject([
      {
        json: true,
        tasks: false,
        watchSeconds: 2,
        set: ['pid:1 power_mw=5', 'state reference_power_mw=9'],
      },
    ]);
    const none = await execute(['feed', '--config', configFile], { feed: () => TE.right(false) });
    expect(none.exitCode).toBe(1);
    expect((await execute(['feed', '--config', configFile, '--watch', 'x'])).exitCode).toBe(2);
  });
});

describe('wattfeed check', () => {
  it('ends with 0 where the machine can be measured, with 1 where not', async () => {
    const fine = await execute(['check', '--config', configFile, '--json']);
    expect([fine.exitCode, fine.calls.check]).toEqual([0, [{ json: true }]]);
    const not = await execute(['check', '--config', configFile], { check: () => TE.right(false) });
    expect([not.exitCode, not.stderr]).toEqual([1, '']);
  });
});

describe('wattfeed config', () => {
  it('prints the defaults, the schema, and what is in effect', async () => {
    expect((await execute(['config', '--defaults'])).stdout).toContain('window_millis: 1000');
    expect(JSON.parse((await execute(['config', '--schema'])).stdout)).toMatchObject({
      title: 'wattfeed configuration file',
    });
    const effective = await execute(['config', '--config', configFile, '--window-millis', '250']);
    expect(effective.stdout).toContain('window_millis: 250');
    expect(effective.stdout).toContain(`socket_path: ${join(directory, 'agent.sock')}`);
  });

  it('checks a file: 0 and a word, or 2 and every mistake', async () => {
    const fine = await execute(['config', '--check', configFile]);
    expect([fine.exitCode, fine.stdout]).toEqual([0, `${configFile}: fine\n`]);
    const wrong = join(directory, 'wrong.yaml');
    writeFileSync(wrong, 'a: 1\nlog: {levle: info}\n');
    const { exitCode, stderr } = await execute(['config', '--check', wrong]);
    expect([exitCode, stderr.split('\n')]).toEqual([
      2,
      [
        expect.stringContaining(`${wrong}:2:7 log.levle: unknown key; did you mean level?`),
        expect.stringContaining(`${wrong}:1:1 a: unknown key; known here:`),
        '',
      ],
    ]);
  });
});

describe('wattfeed top', () => {
  const top = (...argv: readonly string[]) => ['top', '--config', configFile, '--once', ...argv];

  it('measures itself where no agent runs, with windows no longer than configured', async () => {
    const { exitCode, stdout, calls } = await execute(top());
    expect([exitCode, calls.closed]).toEqual([0, ['own']]);
    expect(stdout).toContain('measuring itself, window 99');
    expect(calls.windowMillis).toEqual([1000]);
    const json = ['top', '--config', configFile, '--json', '-I'];
    const endings: Partial<ProgramDeps> = {
      measure: (_config, { windowMillis }) =>
        TE.left({ ...COMPLAINT, cause: String(windowMillis) }),
    };
    expect((await execute([...json, '0.2'], endings)).stderr).toContain('200');
    expect((await execute([...json, '60'], endings)).stderr).toContain('1000');
  });

  it('joins the agent that runs: two viewers print the same window', async () => {
    const agent = fakeAgent(laterReport(agentReport(), 7));
    const path = join(directory, 'agent.sock');
    const server = await serveReports(path, agent, fakePeers())();
    if (server._tag === 'Left') throw new Error('not served');
    const [one, two] = [await execute(top('--json')), await execute(top('--json'))];
    const text = await execute(top('--socket', path));
    await server.right.close('over');
    expect(one.stdout).toBe(two.stdout);
    expect(JSON.parse(one.stdout)).toMatchObject({
      window: { index: '106' },
      viewer: { isJoined: true },
    });
    expect(one.calls.windowMillis).toEqual([]);
    expect(text.stdout).toContain(`joined agent ${process.pid}`);
  });

  it('prints one window for --once, also where the last one already spans the interval', async () => {
    const path = join(directory, 'agent.sock');
    const agent = fakeAgent(agentReport());
    const server = await serveReports(path, agent, fakePeers())();
    if (server._tag === 'Left') throw new Error('not served');
    const timer = setInterval(() => {
      agent.publish(laterReport(agentReport(), 1));
    }, 5);
    const { stdout } = await execute(top('--json', '-I', '1'));
    clearInterval(timer);
    await server.right.close('over');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('sums windows up where --once asks for a longer interval', async () => {
    const path = join(directory, 'agent.sock');
    const windowAt = (at: number) => {
      const endNanos = String(100_000_000_000n + BigInt(at) * 1_000_000_000n);
      const report = laterReport(agentReport(), at);
      return { ...report, window: { ...report.window, endNanos } };
    };
    const agent = fakeAgent(windowAt(0));
    const server = await serveReports(path, agent, fakePeers())();
    if (server._tag === 'Left') throw new Error('not served');
    let at = 0;
    const timer = setInterval(() => {
      agent.publish(windowAt(++at));
    }, 10);
    const { stdout } = await execute(top('--json', '-I', '3'));
    clearInterval(timer);
    await server.right.close('over');
    const printed: unknown = JSON.parse(stdout);
    const durationSeconds: unknown = expect.toSatisfy((seconds: number) => seconds >= 3);
    // No entity's joules rose from window to window: a mean power, not the last window's.
    expect(printed).toMatchObject({ window: { durationSeconds } });
    expect(printed).toMatchObject({ processes: [{ packageWatts: 0 }, {}, {}, {}, {}, {}] });
  });

  it('does not measure beside an agent that it may not join', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    const { exitCode, stderr, calls } = await execute(['top', '--once', '--socket', file]);
    expect([exitCode, calls.windowMillis]).toEqual([1, []]);
    expect(stderr).toBe(`wattfeed: join ${file}: not a socket; correct --socket\n`);
  });

  it('says why it cannot measure and ends with 1', async () => {
    const { exitCode, stderr } = await execute(top(), { measure: () => TE.left(COMPLAINT) });
    expect([exitCode, stderr]).toEqual([1, 'wattfeed: load accounting: EPERM; run as root\n']);
  });
});
