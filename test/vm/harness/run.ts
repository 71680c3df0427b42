// SPDX-License-Identifier: Apache-2.0
/**
 * Boots the simulated machine, runs one command in it and hands back what came out. The command sees the
 * product (this working tree, as built) at /product, the same in few files at /vm/product, and a writable directory
 * at /vm; what it leaves in /vm/out is in `outDirectory` afterwards. A machine that hangs or dies is ended and said so; one that does not
 * reach its shell is tried again (about 1 boot in 55 hangs under TCG).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cacheDirectory, PRODUCT_DIRECTORY, VM_DIRECTORY, type KernelVersion } from './cache.js';
import { qemuCommand, virtiofsCommand, type Command, type Shape, type Share } from './machine.js';
import { copyProduct, keepCompiled } from './product.js';

/** A boot takes 4 to 10 s on an idle host; beyond this it hangs. */
const BOOT_LIMIT_MILLIS = 60_000;
const BOOT_ATTEMPTS = 3;
const SOCKET_LIMIT_MILLIS = 15_000;
/** Another VM may hold the host: two at once make both too slow to judge, unless both say that it does not matter. */
const LOCK_LIMIT_SECONDS = 1200;

export interface VmRequest {
  readonly shape: Shape;
  readonly kernel: KernelVersion;
  /** A bash script; its working directory is /product. */
  readonly script: string;
  /** From the end of the boot to the end of the script. */
  readonly limitMillis: number;
  readonly outDirectory: string;
  /** Others that say so too may run beside it: nothing is judged that the host's speed would change. */
  readonly isShared?: boolean;
  /** Serial output as it comes. */
  readonly onSerial?: (text: string) => void;
  /** Something else than the guest that everything is measured in. */
  readonly boot?: Boot;
}

export interface Boot {
  /** A root of its own, which the machine may write to. */
  readonly rootDirectory: string;
  /** What comes in guest-init's place; says `vm-init: boot` when it is there. */
  readonly init: string;
}

export type VmOutcome =
  | { readonly _tag: 'Exited'; readonly code: number }
  | { readonly _tag: 'BootHung'; readonly limitMillis: number }
  | { readonly _tag: 'CommandHung'; readonly limitMillis: number }
  | { readonly _tag: 'Died' };

export interface VmResult {
  readonly outcome: VmOutcome;
  readonly serial: string;
  readonly bootSeconds: number | undefined;
  readonly elapsedSeconds: number;
  readonly attempts: number;
}

export const describeOutcome = (outcome: VmOutcome): string => {
  switch (outcome._tag) {
    case 'Exited':
      return `the command exited with code ${outcome.code.toString()}`;
    case 'BootHung':
      return `the machine did not reach its shell within ${(outcome.limitMillis / 1000).toString()} s and was ended`;
    case 'CommandHung':
      return `the command ran longer than ${(outcome.limitMillis / 1000).toString()} s; the machine was ended`;
    case 'Died':
      return 'the machine ended by itself before the command did (panic or power-off); see the serial output';
  }
};

/** Ends with this process, also with one that is killed: else a machine of both CPUs runs on. */
const start = (command: Command, stdout: 'ignore' | 'pipe'): ChildProcess =>
  spawn('setpriv', ['--pdeathsig', 'KILL', command.program, ...command.args], {
    stdio: ['ignore', stdout, stdout === 'pipe' ? 'pipe' : 'inherit'],
    env: { ...process.env, ...command.env },
  });

/** `flock --no-fork` turns into the command itself once it has the lock: ending it ends the VM. */
const underLock = (cache: string, isShared: boolean, command: Command): Command => ({
  program: 'flock',
  args: [
    '--no-fork',
    isShared ? '--shared' : '--exclusive',
    '--wait',
    LOCK_LIMIT_SECONDS.toString(),
    join(cache, 'vm.lock'),
    command.program,
    ...command.args,
  ],
  env: command.env,
});

const waitForFiles = async (paths: readonly string[]): Promise<void> => {
  const deadline = performance.now() + SOCKET_LIMIT_MILLIS;
  while (!paths.every((path) => existsSync(path))) {
    if (performance.now() > deadline) throw new Error(`virtiofsd: no socket ${paths.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const writeShare = async (directory: string, { script, boot }: VmRequest): Promise<void> => {
  mkdirSync(join(directory, 'out'), { recursive: true });
  const guest = join(VM_DIRECTORY, 'guest');
  cpSync(guest, join(directory, 'guest'), { recursive: true });
  if (boot === undefined) cpSync(join(guest, 'guest-init'), join(directory, 'guest-init'));
  else writeFileSync(join(directory, 'guest-init'), boot.init);
  const simhw = join(cacheDirectory(), 'simhw');
  if (existsSync(simhw)) cpSync(simhw, join(directory, 'simhw'), { recursive: true });
  if (boot === undefined) await copyProduct(directory);
  writeFileSync(join(directory, 'command'), script);
};

/** Ends the machine when the boot, then the command, outlast their limits. */
const watch = async (
  qemu: ChildProcess,
  request: VmRequest,
  append: (text: string) => void,
): Promise<VmOutcome['_tag']> => {
  let ended: VmOutcome['_tag'] = 'Died';
  const end = (tag: VmOutcome['_tag']) => () => {
    ended = tag;
    qemu.kill('SIGKILL');
  };
  let seen = '';
  let timer: NodeJS.Timeout | undefined;
  let isBooted = false;
  const onText = (bytes: Buffer): void => {
    const text = bytes.toString('utf8').replaceAll('\r', '');
    append(text);
    request.onSerial?.(text);
    timer ??= setTimeout(end('BootHung'), BOOT_LIMIT_MILLIS);
    if (isBooted) return;
    seen += text;
    if (!seen.includes('vm-init: boot ')) return;
    isBooted = true;
    clearTimeout(timer);
    timer = setTimeout(end('CommandHung'), request.limitMillis);
  };
  qemu.stdout?.on('data', onText);
  qemu.stderr?.on('data', onText);
  const lastResort = setTimeout(
    end('BootHung'),
    LOCK_LIMIT_SECONDS * 1000 + BOOT_LIMIT_MILLIS + request.limitMillis,
  );
  await once(qemu, 'close');
  clearTimeout(timer);
  clearTimeout(lastResort);
  return ended;
};

const readNumber = (path: string): number | undefined =>
  existsSync(path) ? Number(readFileSync(path, 'utf8').trim()) : undefined;

const runOnce = async (request: VmRequest, attempts: number): Promise<VmResult> => {
  const cache = cacheDirectory();
  const work = mkdtempSync(join(tmpdir(), 'wattfeed-vm-'));
  const share = join(work, 'vm');
  await writeShare(share, request);
  const { boot } = request;
  const shares: readonly Share[] = [
    {
      tag: 'root',
      directory: boot?.rootDirectory ?? join(cache, 'guest'),
      isReadOnly: boot === undefined,
    },
    { tag: 'vm', directory: share, isReadOnly: false },
    { tag: 'product', directory: PRODUCT_DIRECTORY, isReadOnly: true },
  ];
  const sockets = {
    root: join(work, 'root'),
    vm: join(work, 'sock'),
    product: join(work, 'product'),
  };
  const servers = shares.map((one) =>
    start(virtiofsCommand(cache, one, sockets[one.tag]), 'ignore'),
  );
  const startedMillis = performance.now();
  let serial = '';
  try {
    await waitForFiles(Object.values(sockets));
    const qemu = qemuCommand(cache, request.shape, request.kernel, sockets);
    const command = underLock(cache, request.isShared ?? false, qemu);
    const ended = await watch(start(command, 'pipe'), request, (text) => {
      serial += text;
    });
    const code = readNumber(join(share, 'exit'));
    cpSync(join(share, 'out'), request.outDirectory, { recursive: true });
    if (code === 0) await keepCompiled(share);
    for (const extra of ['dmesg.txt']) {
      const path = join(share, extra);
      if (existsSync(path)) cpSync(path, join(request.outDirectory, extra));
    }
    return {
      outcome: outcomeOf(ended, code, request.limitMillis),
      serial,
      bootSeconds: readNumber(join(share, 'boot_seconds')),
      elapsedSeconds: (performance.now() - startedMillis) / 1000,
      attempts,
    };
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
  }
};

const outcomeOf = (
  ended: VmOutcome['_tag'],
  code: number | undefined,
  limitMillis: number,
): VmOutcome => {
  if (code !== undefined) return { _tag: 'Exited', code };
  if (ended === 'BootHung') return { _tag: 'BootHung', limitMillis: BOOT_LIMIT_MILLIS };
  if (ended === 'CommandHung') return { _tag: 'CommandHung', limitMillis };
  return { _tag: 'Died' };
};

/** Hung, or QEMU died of an assertion while the BIOS or the kernel moved a PCI device (`iotlb_to_section`). */
const neverReachedShell = ({ outcome, bootSeconds }: VmResult): boolean =>
  bootSeconds === undefined && (outcome._tag === 'BootHung' || outcome._tag === 'Died');

/** Runs the script; a boot that fails is tried again. */
export const runInVm = async (request: VmRequest): Promise<VmResult> => {
  mkdirSync(request.outDirectory, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const result = await runOnce(request, attempt);
    if (attempt === BOOT_ATTEMPTS || !neverReachedShell(result)) return result;
  }
};
