// SPDX-License-Identifier: Apache-2.0
/**
 * Proves the Dockerfile on a machine without a container engine: carries out its instructions, as they
 * stand there, in debootstrap roots, then starts the last stage under chroot with the rights and mounts of
 * the `docker run` in its head, and asks its health check. Needs root, debootstrap and about 2 GB.
 *
 *   node --import tsx scripts/prove-image.ts [WORK_FOLDER [start]]
 *
 * With `start`, what was built before is only started.
 *
 * What it does not prove: the base images themselves (debootstrap's Debian 12 and this machine's Node
 * stand for them), layers and their cache, the engine's seccomp and AppArmor profiles.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseDockerfile, type Instruction, type Stage } from './image/dockerfile.js';
import { layBase, run, runIn } from './image/root.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const START_SECONDS = 30;
const CAPABILITIES = '-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search';

/** Paths of the build context, below `source`. */
const contextPaths = (source: string): readonly string[] => {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  return run('git', ['-C', ROOT, 'ls-files', '-co', '--exclude-standard', '-z', '--', source])
    .toString()
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)))
    .filter((path) => !ignored.some((entry) => path === entry || path.startsWith(`${entry}/`)));
};

const copyContext = (source: string, root: string, target: string): void => {
  const isTree = source === '.' || !/\.[a-z]+$/.test(source);
  for (const path of contextPaths(source)) {
    const below = source === '.' ? path : path.slice(source.length + 1);
    const to = isTree
      ? join(root, target, below)
      : join(root, target, path.split('/').at(-1) ?? '');
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(ROOT, path), to, { recursive: true, verbatimSymlinks: true });
  }
};

const carryOut = (
  instruction: Instruction,
  place: { root: string; workdir: string },
  roots: ReadonlyMap<string, string>,
): void => {
  switch (instruction._tag) {
    case 'Workdir':
      place.workdir = instruction.path;
      mkdirSync(join(place.root, instruction.path), { recursive: true });
      break;
    case 'Run':
      runIn(place.root, place.workdir, instruction.command);
      break;
    case 'Copy': {
      const target = join('/', place.workdir, instruction.target);
      const absolute = instruction.target.startsWith('/') ? instruction.target : target;
      for (const source of instruction.sources) {
        if (instruction.from === undefined) copyContext(source, place.root, absolute);
        else {
          const to = join(place.root, absolute);
          mkdirSync(dirname(to), { recursive: true });
          cpSync(join(roots.get(instruction.from) ?? '', source), to, {
            recursive: true,
            verbatimSymlinks: true,
          });
        }
      }
      break;
    }
  }
};

const rootOf = (work: string, stage: Stage | undefined): string =>
  join(work, `stage-${stage?.name ?? ''}`);

const build = (stages: readonly Stage[], work: string): string => {
  const roots = new Map<string, string>();
  let last = '';
  for (const stage of stages) {
    last = rootOf(work, stage);
    rmSync(last, { recursive: true, force: true });
    console.log(`FROM ${stage.base} (${stage.name})`);
    layBase(stage.base, work, last);
    roots.set(stage.name, last);
    const place = { root: last, workdir: '/' };
    for (const instruction of stage.instructions) {
      const begun = performance.now();
      carryOut(instruction, place, roots);
      const seconds = ((performance.now() - begun) / 1000).toFixed(1);
      console.log(`  ${JSON.stringify(instruction).slice(0, 120)}: ${seconds} s`);
    }
  }
  return last;
};

/** The mounts and rights of the `docker run` line, the root read-only. */
const startLine = (root: string, work: string, words: readonly string[]): string => {
  const runDirectory = join(work, 'run');
  mkdirSync(runDirectory, { recursive: true });
  const stateDirectory = join(work, 'state');
  mkdirSync(stateDirectory, { recursive: true });
  for (const path of ['host/sys', 'run/wattfeed', 'var/lib/wattfeed', 'sys/fs/bpf'])
    mkdirSync(join(root, path), { recursive: true });
  const quoted = words.map((word) => `'${word}'`).join(' ');
  return [
    'set -e',
    `mount --bind ${root} ${root}`,
    `mount -o remount,bind,ro ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    // As an engine does: a sysfs of the container's own, without powercap, and the host's beside it.
    `mount -t sysfs -o ro sysfs ${root}/sys`,
    `[ ! -d ${root}/sys/devices/virtual/powercap ] || mount -t tmpfs -o ro none ${root}/sys/devices/virtual/powercap`,
    `mount --rbind /sys ${root}/host/sys`,
    `mount --bind /sys/fs/bpf ${root}/sys/fs/bpf`,
    `mount --bind ${runDirectory} ${root}/run/wattfeed`,
    `mount --bind ${stateDirectory} ${root}/var/lib/wattfeed`,
    `exec chroot ${root} /usr/bin/setpriv --no-new-privs --bounding-set=${CAPABILITIES} ` +
      `--inh-caps=${CAPABILITIES} /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin OTEL_METRICS_EXPORTER=none ${quoted}`,
  ].join('\n');
};

const prove = async (stage: Stage, root: string, work: string): Promise<boolean> => {
  const pins = `--agent-pin-directory=/sys/fs/bpf/wattfeed-image-${String(process.pid)}`;
  const words = [...stage.entrypoint, ...stage.command, pins];
  const agent = spawn(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', startLine(root, work, words)],
    { stdio: 'inherit' },
  );
  try {
    for (let second = 0; second < START_SECONDS && agent.exitCode === null; second += 1) {
      await delay(1_000);
      const health = `exec chroot /proc/${String(agent.pid)}/root ${stage.healthcheck.join(' ')} /run/wattfeed/agent.sock`;
      try {
        console.log(`HEALTHCHECK: ${run('sh', ['-c', health]).toString().trim()}`);
        return true;
      } catch {
        // Not yet: the next second asks again.
      }
    }
    return false;
  } finally {
    agent.kill('SIGTERM');
    if (agent.exitCode === null) await once(agent, 'exit');
    rmSync(pins.slice(pins.indexOf('=') + 1), { recursive: true, force: true });
  }
};

const main = async (work: string, isStartOnly: boolean): Promise<number> => {
  mkdirSync(work, { recursive: true });
  const stages = parseDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
  const root = isStartOnly ? rootOf(work, stages.at(-1)) : build(stages, work);
  const size = run('du', ['-sm', root]).toString().split('\t')[0] ?? '';
  const base = run('sh', [
    '-c',
    `tar -tvf ${work}/slim.tar | awk '{ s += $3 } END { print int(s / 1048576) }'`,
  ]);
  console.log(`last stage: ${size} MiB, of which the base ${base.toString().trim()} MiB`);
  const last = stages.at(-1);
  const isHealthy = last !== undefined && (await prove(last, root, work));
  console.log(isHealthy ? 'the image works' : 'the image does NOT work');
  return isHealthy ? 0 : 1;
};

process.exitCode = await main(
  process.argv[2] ?? '/var/tmp/wattfeed-image',
  process.argv[3] === 'start',
);
