// SPDX-License-Identifier: Apache-2.0
/** The command lines of one simulated machine: QEMU and the three virtiofs servers. Pure. */
import { join } from 'node:path';

import type { KernelVersion } from './cache.js';

/**
 * smt: 1 socket x 2 cores x 2 threads. numa: 2 sockets x 2 cores x 1 thread with a memory node each, so that
 * memory can live away from its CPU.
 */
export type Shape = 'smt' | 'numa';
export const SHAPES: readonly Shape[] = ['smt', 'numa'];

export const MEMORY_MEGABYTES = 2048;

/** Name of a share in the guest -> directory on the host. */
export interface Share {
  readonly tag: 'root' | 'vm' | 'product';
  readonly directory: string;
  readonly isReadOnly: boolean;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A program of the tools root, started with that root's own loader and libraries, without a chroot. */
const fromTools = (cache: string, path: string, args: readonly string[]): Command => {
  const tools = join(cache, 'tools');
  return {
    program: join(tools, 'lib64/ld-linux-x86-64.so.2'),
    args: ['--library-path', join(tools, 'usr/lib/x86_64-linux-gnu'), join(tools, path), ...args],
    env: { QEMU_MODULE_DIR: join(tools, 'usr/lib/x86_64-linux-gnu/qemu') },
  };
};

export const virtiofsCommand = (cache: string, share: Share, socket: string): Command =>
  fromTools(cache, 'usr/libexec/virtiofsd', [
    `--socket-path=${socket}`,
    `--shared-dir=${share.directory}`,
    '--sandbox=none',
    '--inode-file-handles=never',
    `--cache=${share.tag === 'vm' ? 'auto' : 'always'}`,
    '--thread-pool-size=1',
    '--log-level=error',
    ...(share.isReadOnly ? ['--readonly'] : []),
  ]);

const memory = (id: string, megabytes: number): string[] => [
  '-object',
  `memory-backend-memfd,id=${id},size=${megabytes.toString()}M,share=on`,
];

const shapeArguments: Readonly<Record<Shape, readonly string[]>> = {
  smt: [
    '-smp',
    '4,sockets=1,cores=2,threads=2',
    ...memory('m0', MEMORY_MEGABYTES),
    '-numa',
    'node,memdev=m0',
  ],
  numa: [
    '-smp',
    '4,sockets=2,cores=2,threads=1',
    ...memory('m0', MEMORY_MEGABYTES / 2),
    ...memory('m1', MEMORY_MEGABYTES / 2),
    '-numa',
    'node,nodeid=0,cpus=0-1,memdev=m0',
    '-numa',
    'node,nodeid=1,cpus=2-3,memdev=m1',
    '-numa',
    'dist,src=0,dst=1,val=21',
  ],
};

const KERNEL_ARGUMENTS = [
  ...['console=ttyS0', 'quiet', 'panic=-1', 'oops=panic', 'rdinit=/init'],
  'mitigations=off',
  // on a busy host the watchdogs take a late vCPU for a broken clock or a lock-up
  ...['tsc=reliable', 'nowatchdog'],
  // memory daemons that would use a quarter of a CPU under TCG
  ...['transparent_hugepage=never', 'damon_stat.enabled=N'],
].join(' ');

/**
 * TCG with a thread per CPU: stable from QEMU 10 on only (7.2 panicked the guest about once in 25 scheduler
 * attaches, a stale INT3 of text patching). An Intel server's family and model, so that software which
 * looks at the vendor finds what RAPL zones belong to.
 */
export const qemuCommand = (
  cache: string,
  shape: Shape,
  kernel: KernelVersion,
  sockets: Readonly<Record<Share['tag'], string>>,
): Command => {
  const devices = Object.entries(sockets).flatMap(([tag, socket]) => [
    '-chardev',
    `socket,id=${tag},path=${socket}`,
    '-device',
    `vhost-user-fs-pci,chardev=${tag},tag=${tag}`,
  ]);
  return fromTools(cache, 'usr/bin/qemu-system-x86_64', [
    ...['-L', join(cache, 'tools/usr/share/qemu'), '-L', join(cache, 'tools/usr/share/seabios')],
    ...['-accel', 'tcg,thread=multi'],
    ...['-cpu', 'max,vendor=GenuineIntel,family=6,model=85,stepping=7'],
    ...['-m', `${MEMORY_MEGABYTES.toString()}M`],
    ...shapeArguments[shape],
    ...['-kernel', join(cache, 'kernels', kernel, 'vmlinuz')],
    ...['-initrd', join(cache, 'kernels', kernel, 'initramfs.cpio')],
    ...['-append', KERNEL_ARGUMENTS],
    ...devices,
    ...['-display', 'none', '-serial', 'stdio', '-no-reboot', '-net', 'none'],
  ]);
};
