// SPDX-License-Identifier: Apache-2.0
/** Agent, schedulers, groups of loads and what the machine knows of them, for the scenarios beside it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const SIMHW = '/sys/kernel/debug/simhw';
const MAIN = '/vm/product/dist/receiver/main.js';
export const SCX = '/product/bpf/build/scx-energy';
/** Where what is compiled for the guest lies beside these scripts. */
export const HERE = '/product/test/vm/feed/guest/build';
const LOAD = '/vm/simhw/simload';
const STATE = '/sys/fs/bpf/wattfeed/v1/state';
/** All maps of the feed. */
export const PINS = ['state', 'package', 'cpu', 'cgroup', 'cgroup_index', 'task'];
/** What one agent has learnt of the machine is the next one's, as on a host. */
export const STATE_DIRECTORY = '/tmp/wattfeed-state';
const PATIENCE_MILLIS = 240_000;
const LOOK_EVERY_MILLIS = 200;
/** Agent, loader and these scripts run here, so that the measured groups have the other core to themselves. */
export const HOUSEKEEPING_CPUS = process.env.HOUSEKEEPING_CPUS ?? '0,1';
const MEASURED_CPUS = '2,3';
/** In place of three windows: under TCG beside another machine one window's work can take a second. */
const VALIDITY_MILLIS = 2500;
/** Longer than an entry is valid: the feed has been renewed in between. */
const STEADY_MILLIS = 3000;
/** Long enough to be kept by a late agent, short enough for a cap that settles in seconds. */
export const WINDOW_MILLIS = 500;

export const out = (name) => `/vm/out/${name}`;
export const control = (...words) => writeFileSync(`${SIMHW}/control`, words.join(' '));
export const truth = (name) => writeFileSync(out(`${name}.truth`), readFileSync(`${SIMHW}/truth`));
export { pause };
/**
 * A class of its own: 256-bit operations and nothing else, beside `chase` on one core about twice its power. Not avx512:
 * the guest's CPU does not have that, so nothing tells its operations from half as wide ones.
 */
export const defineDense = () =>
  control(
    'class dense ipc_milli=2600 kappa_milli=2700 vector256_milli=1000 lines_per_minstr=400',
    'pressure_milli=1000 sensitivity_milli=900 memory_bound_milli=0 cap_khz=3000000',
  );
/** On the serial line: how far a long scenario has come. */
export const say = (text) => console.log(`${(performance.now() / 1000).toFixed(1)} s: ${text}`);

/** Waits for a condition; a busy host may take its time. */
export const until = async (what, holds) => {
  const deadline = performance.now() + PATIENCE_MILLIS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`);
    await pause(LOOK_EVERY_MILLIS);
  }
};

/** Before all loads, as a service manager would put it: under TCG they take all there is. */
export const startAgent = async (name, policy, windowMillis = WINDOW_MILLIS) => {
  const config = `/tmp/${name}.yaml`;
  const lines = [
    `window_millis: ${windowMillis}`,
    'energy:\n  sources: ["powercap"]\n  idle_watts: 13',
    'export:\n  enabled: false',
    `agent:\n  state_directory: ${STATE_DIRECTORY}`,
    // under TCG the look into the code of these loads, which do nothing, holds windows up for seconds
    'spin:\n  enabled: false',
    `policy:\n  feed: true\n  validity_windows: ${VALIDITY_MILLIS / windowMillis}`,
    `${policy.map((line) => `  ${line}\n`).join('')}`,
  ];
  writeFileSync(config, lines.join('\n'));
  writeFileSync(out(`${name}.yaml`), lines.join('\n'));
  const log = openSync(out(`${name}.log`), 'w');
  const words = ['-n', '-15', 'taskset', '-c', HOUSEKEEPING_CPUS];
  const agent = spawn('nice', [...words, 'node', MAIN, 'run', '--config', config], {
    stdio: ['ignore', log, log],
  });
  const ended = once(agent, 'exit');
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  await until(`feed of ${name}`, () => {
    if (hasEnded) throw new Error(`agent ${name} ended by itself`);
    return existsSync(STATE) && status() === 'ok';
  });
  return {
    pid: agent.pid,
    stop: async () => (agent.kill('SIGTERM'), ended),
    kill: async () => (agent.kill('SIGKILL'), ended),
  };
};

/**
 * Until when what is published holds, in ns of CLOCK_MONOTONIC; undefined: nothing is. Without starting a Node for it:
 * that takes seconds under TCG. Offsets of power_feed.h v1.
 */
const validUntilNanos = () => {
  let bytes;
  try {
    const text = execFileSync(
      'bpftool',
      ['-j', 'map', 'lookup', 'pinned', STATE, 'key', '0', '0', '0', '0'],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    bytes = Buffer.from(JSON.parse(text).value.map(Number));
  } catch {
    return undefined;
  }
  const generation = bytes.readBigUInt64LE(64);
  if (generation === 0n) return undefined;
  return bytes.readBigUInt64LE(128 + Number(generation & 1n) * 128 + 16);
};

export const status = () => {
  const validUntil = validUntilNanos();
  if (validUntil === undefined) return 'missing';
  return process.hrtime.bigint() < validUntil ? 'ok' : 'expired';
};

/**
 * Waits until the feed has held without a gap. An agent's first windows under load come late here: Node compiles what
 * they need, under TCG, beside loads that take all there is.
 */
export const steadyFeed = async () => {
  let since;
  await until('feed renewed in time', () => {
    since = status() === 'ok' ? (since ?? performance.now()) : undefined;
    return since !== undefined && performance.now() - since > STEADY_MILLIS;
  });
};

/** Killed: nobody withdraws. Waits until the feed has expired; returns how long it was valid after the kill. */
export const killUntilExpired = async (agent) => {
  const killedNanos = process.hrtime.bigint();
  await agent.kill();
  const validNanos = validUntilNanos() - killedNanos;
  await until('feed expired', () => status() === 'expired');
  return Number(validNanos) / 1e6;
};

export const mapId = (pin) =>
  JSON.parse(
    execFileSync('bpftool', ['-j', 'map', 'show', 'pinned', `/sys/fs/bpf/wattfeed/v1/${pin}`], {
      encoding: 'utf8',
    }),
  ).id;

let schedulers = 0;
export const startScheduler = async (kind, ...options) => {
  schedulers++;
  // one of its own for each: what an earlier one said is no sign that this one is attached
  const path = out(`scx-${schedulers}-${kind}.log`);
  const log = openSync(path, 'w');
  const words = ['-c', HOUSEKEEPING_CPUS, SCX, kind, '--stats', '1', ...options];
  const child = spawn('taskset', words, { stdio: ['ignore', log, log] });
  const ended = once(child, 'exit');
  await until(`${kind} attached`, () => readFileSync(path, 'utf8').includes('attached'));
  const lines = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((text) => text.includes('by energy'));
  const stats = () =>
    Object.fromEntries(
      [...(lines().at(-1) ?? '').matchAll(/([a-z ]+?) (\d+)/g)].map(([, name, value]) => [
        name.replace(/^.*feed /, '').trim(),
        Number(value),
      ]),
    );
  return {
    stop: async () => (child.kill('SIGTERM'), ended),
    attaches: () => readFileSync(path, 'utf8').split('attached').length - 1,
    /** Numbers of the last line of statistics: up to a second old. */
    stats,
    /** Of one that is printed after this call. */
    freshStats: async () => {
      const seen = lines().length;
      await until('statistics', () => lines().length > seen);
      return stats();
    },
  };
};

export const sysctl = (path) => readFileSync(path, 'utf8').trim();

/** A cgroup that commands are started in. */
export const makeCgroup = (name) => {
  const directory = `/sys/fs/cgroup/${name}`;
  mkdirSync(directory, { recursive: true });
  return directory;
};

/** `count` loads of one class, in a cgroup, under sched_ext if asked for. Stops all. */
export const startGroup = async (name, count, { cgroup, isScheduled, options = [], cpus }) => {
  const where = `taskset -c ${cpus ?? MEASURED_CPUS}`;
  const command = isScheduled ? `exec ${where} ${SCX} join ${LOAD}` : `exec ${where} ${LOAD}`;
  const children = Array.from({ length: count }, () => {
    const into = cgroup === undefined ? '' : `echo 0 >${cgroup}/cgroup.procs && `;
    return spawn('bash', ['-c', `${into}${command} ${name} 900 ${options.join(' ')}`], {
      stdio: 'ignore',
    });
  });
  const named = (pid) => {
    try {
      return sysctl(`/proc/${pid}/comm`) === name;
    } catch {
      return false;
    }
  };
  await until(`${name} started`, () => children.every(({ pid }) => named(pid)));
  return {
    pids: children.map(({ pid }) => pid),
    stop: async () => {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(
        children.map(async (child) =>
          child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
        ),
      );
    },
  };
};

/** Truths NAME-0 and NAME-1 around that long. */
export const over = async (name, seconds) => {
  truth(`${name}-0`);
  await pause(seconds * 1000);
  truth(`${name}-1`);
};

const STEADY_ATTEMPTS = 4;
/**
 * As `over`, anew until the scheduler found the feed valid all the while, four times at most: what it does without one
 * is another question, and on a busy host a window comes late now and then. Returns how many looks found it expired.
 */
export const overSteady = async (name, seconds, scheduler) => {
  for (let attempt = 1; ; attempt++) {
    await steadyFeed();
    const before = await scheduler.freshStats();
    await over(name, seconds);
    const late = (await scheduler.freshStats()).expired - before.expired;
    if (late === 0 || attempt === STEADY_ATTEMPTS) return late;
    say(`${name}: ${late} looks found no feed, once more`);
  }
};
