// SPDX-License-Identifier: Apache-2.0
/** Folders that stand in for container images: made by debootstrap, entered by chroot. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const SUITE = 'bookworm';
/** What the image node:24-bookworm has beside Node, as far as a build may use it. */
const BUILD_PACKAGES = ['ca-certificates', 'git', 'gcc', 'g++', 'make', 'python3', 'xz-utils'];

export const run = (command: string, args: readonly string[], input?: Buffer): Buffer => {
  const result = spawnSync(command, [...args], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'inherit'],
    ...(input === undefined ? {} : { input }),
    maxBuffer: 1 << 30,
  });
  if (result.status !== 0)
    throw new Error(
      `${command} ${args.join(' ')}: exit ${String(result.status)}\n${result.stdout.toString().slice(-4_000)}`,
    );
  return result.stdout;
};

/** An empty Debian, made once and kept as an archive. */
const debian = (cache: string, name: string, packages: readonly string[]): string => {
  const archive = join(cache, `${name}.tar`);
  if (existsSync(archive)) return archive;
  const root = join(cache, `${name}.new`);
  rmSync(root, { recursive: true, force: true });
  const include = packages.length === 0 ? [] : [`--include=${packages.join(',')}`];
  run('debootstrap', ['--variant=minbase', ...include, SUITE, root]);
  run('chroot', [root, 'apt-get', 'clean']);
  run('tar', ['-C', root, '-cf', `${archive}.new`, '.']);
  run('mv', [`${archive}.new`, archive]);
  rmSync(root, { recursive: true, force: true });
  return archive;
};

/** The network as a build on this host would have it. */
const giveNetwork = (root: string): void => {
  for (const path of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt']) {
    if (!existsSync(path)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(path, join(root, path), { dereference: true });
  }
};

/** This process's own Node stands for the image's; npm is the one in PATH. */
const giveNode = (root: string): void => {
  const bin = join(root, 'usr/local/bin');
  const modules = join(root, 'usr/local/lib/node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(process.execPath, join(bin, 'node'));
  const npm = run('readlink', ['-f', run('which', ['npm']).toString().trim()])
    .toString()
    .trim();
  cpSync(dirname(dirname(npm)), join(modules, 'npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
  symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', join(bin, 'npx'));
};

/** A new folder with the base image's contents. */
export const layBase = (base: string, cache: string, root: string): void => {
  const isBuild = base.startsWith('node:');
  if (!isBuild && base !== 'debian:12-slim') throw new Error(`no stand-in for the image ${base}`);
  const archive = isBuild ? debian(cache, 'build', BUILD_PACKAGES) : debian(cache, 'slim', []);
  mkdirSync(root, { recursive: true });
  run('tar', ['-C', root, '-xf', archive]);
  giveNetwork(root);
  if (isBuild) giveNode(root);
};

/** Runs a shell line in a root, with its own mounts, which are gone when it ends. */
export const runIn = (root: string, workdir: string, command: string): void => {
  const script = join(root, 'tmp', 'step.sh');
  writeFileSync(script, `cd ${workdir} || exit 1\n${command}\n`);
  const mounts = [
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    `exec chroot ${root} /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ` +
      `NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt /bin/sh /tmp/step.sh`,
  ];
  run('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', mounts.join('\n')]);
  rmSync(script);
};
