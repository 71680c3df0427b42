// SPDX-License-Identifier: Apache-2.0
/** The unit as systemd reads it, and the built agent within what the unit allows. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chownSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  mkdirSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../support/agent-process.js';
import { GrpcSink } from '../support/grpc-sink.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../support/until.js';

const UNIT = fileURLToPath(new URL('../../deploy/systemd/wattfeed.service', import.meta.url));
/** systemd's own words: below 5 is "OK"; a service of root without any of this has 9.6. */
const EXPOSURE_MAX = 2.5;
const NOBODY = 65_534;

const valuesOf = (key: string): readonly string[] =>
  readFileSync(UNIT, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));

const wordsOf = (key: string): readonly string[] => valuesOf(key).join(' ').split(/\s+/);

/** Names of a group of system calls, groups within it resolved. */
const expand = (group: string): readonly string[] =>
  execFileSync('systemd-analyze', ['syscall-filter', group], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && line !== group)
    .flatMap((name) => (name.startsWith('@') ? expand(name) : [name]));

/** As systemd does: the first line says whether the list allows, each later one adds or takes away. */
const allowedCalls = (): ReadonlySet<string> => {
  const allowed = new Set(expand('@default'));
  for (const line of valuesOf('SystemCallFilter')) {
    const isTaken = line.startsWith('~');
    for (const word of line.replace('~', '').split(/\s+/)) {
      for (const call of word.startsWith('@') ? expand(word) : [word])
        if (isTaken) allowed.delete(call);
        else allowed.add(call);
    }
  }
  return allowed;
};

/** The calls that `strace -c` has counted. */
const countedCalls = (table: string): readonly string[] =>
  table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([share = '', , , count = '']) => /^[\d.]+$/.test(share) && /^\d+$/.test(count))
    .map((words) => words.at(-1) ?? '')
    .filter((name) => name !== 'total');

/** The unit's capabilities for setpriv, which drops all others. */
const capabilityFlags = (): readonly string[] => {
  const list = (key: string): string =>
    ['-all', ...wordsOf(key).map((name) => `+${name.replace('CAP_', '').toLowerCase()}`)].join(',');
  return [
    `--ambient-caps=${list('AmbientCapabilities')}`,
    `--inh-caps=${list('AmbientCapabilities')}`,
    `--bounding-set=${list('CapabilityBoundingSet')}`,
  ];
};

describe('deploy/systemd/wattfeed.service', () => {
  it('is rated well by systemd-analyze security', () => {
    const { stdout } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', '--no-pager', UNIT],
      { encoding: 'utf8' },
    );
    const exposure = Number(/Overall exposure level[^:]*: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeGreaterThan(0);
    expect(exposure).toBeLessThanOrEqual(EXPOSURE_MAX);
  });

  it('holds no key that systemd does not know', () => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', UNIT], {
      encoding: 'utf8',
    });
    // The program is installed by whoever installs the unit.
    const said = stderr.split('\n').filter((line) => line.includes('wattfeed.service'));
    expect(said.filter((line) => !line.includes('is not executable'))).toEqual([]);
  });

  it('gives ambient exactly the capabilities that it bounds', () => {
    expect(wordsOf('AmbientCapabilities')).toEqual(wordsOf('CapabilityBoundingSet'));
  });

  // Else not even the command that would make it is started: status 226/NAMESPACE.
  it('does not ask for a folder to be there that only its own first command makes', () => {
    const [make = ''] = valuesOf('ExecStartPre');
    expect(make).toContain('install -d');
    for (const path of wordsOf('ReadWritePaths'))
      expect({ path, isMade: make.includes(` ${path}`) }).toEqual({ path, isMade: false });
  });
});

describe('the agent as that service', () => {
  const directory = mkdtempSync(join(tmpdir(), 'wattfeed-unit-'));
  const pins = `/sys/fs/bpf/wattfeed-test-${String(process.pid)}`;
  const sink = new GrpcSink();
  let log = '';
  let status = '';
  let calls: readonly string[] = [];
  let exitCode: number | null = null;

  beforeAll(async () => {
    await sink.start();
    chownSync(directory, NOBODY, NOBODY);
    mkdirSync(pins, { mode: 0o700 });
    chownSync(pins, NOBODY, NOBODY);
    chmodSync(directory, 0o755);
    const trace = join(directory, 'calls');
    const agent = spawn(
      'setpriv',
      [
        `--reuid=${String(NOBODY)}`,
        `--regid=${String(NOBODY)}`,
        '--clear-groups',
        '--no-new-privs',
        ...capabilityFlags(),
        ...['strace', '-f', '-qq', '-c', '-o', trace],
        ...[process.execPath, MAIN, 'run', '--accounting-bpf-stats', 'false'],
        `--agent-socket-path=${join(directory, 'agent.sock')}`,
        `--agent-pin-directory=${pins}`,
      ],
      {
        env: {
          PATH: process.env['PATH'],
          OTEL_EXPORTER_OTLP_ENDPOINT: sink.endpoint,
          OTEL_METRIC_EXPORT_INTERVAL: '2000',
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    agent.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    const ended = once(agent, 'exit');
    await until(
      'the agent exports',
      () => sink.requestBytes.length >= 2 || agent.exitCode !== null,
      60_000,
    );
    const traced = Number(
      execFileSync('pgrep', ['-P', String(agent.pid)], { encoding: 'utf8' }).trim(),
    );
    status = readFileSync(`/proc/${String(traced)}/status`, 'utf8');
    process.kill(traced, 'SIGTERM');
    await ended;
    exitCode = agent.exitCode;
    calls = countedCalls(readFileSync(trace, 'utf8'));
  }, 90_000);

  afterAll(() => {
    sink.stop();
    rmdirSync(pins);
    rmSync(directory, { recursive: true, force: true });
  });

  it('measures, exports and ends in order as another user than root', () => {
    expect(log).toContain('info: measuring');
    expect(log).not.toMatch(/(warning|error):.*(EPERM|EACCES)/);
    expect(sink.requestBytes.length).toBeGreaterThanOrEqual(2);
    expect(exitCode).toBe(0);
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(NOBODY));
    expect(/^NoNewPrivs:\s+(\d)/m.exec(status)?.[1]).toBe('1');
  });

  it('has asked for no system call that the unit refuses', () => {
    const allowed = allowedCalls();
    expect(calls).toEqual(expect.arrayContaining(['bpf', 'connect']));
    expect(calls.filter((name) => !allowed.has(name))).toEqual([]);
  });
});
