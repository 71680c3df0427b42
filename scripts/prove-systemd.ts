// SPDX-License-Identifier: Apache-2.0
/**
 * Proves the README's systemd path: a Debian 12 whose PID 1 is systemd, in the simulated machine (a kernel
 * of its own with RAPL), in which the README's commands are typed as they stand there. Needs what `npm run
 * vm` needs, debootstrap, and a folder in which prove-image.ts has run before: it brings the package.
 *
 *   node --import tsx scripts/prove-systemd.ts [WORK_FOLDER]
 *
 * The first command is carried out before the boot, under chroot, because the machine has no network.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeImages } from '../test/vm/harness/cache.js';
import { describeOutcome, runInVm } from '../test/vm/harness/run.js';
import { layBase, run, runIn } from './image/root.js';
import { readmeCommands } from './lib/readme-block.js';

const LIMIT_MILLIS = 400_000;
const IMAGES_LIMIT_MILLIS = 1_200_000;

/** Typed by a unit that starts when the machine is up. */
const TYPIST = `[Unit]
Description=types the README
After=multi-user.target
[Service]
Type=oneshot
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
ExecStart=/bin/sh -c '/bin/bash -ex /vm/command; echo $? >/vm/exit; sync; systemctl poweroff --force --force'
[Install]
WantedBy=graphical.target
`;

const INIT = `#!/bin/bash
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec </dev/null >/dev/console 2>&1
echo "vm-init: boot $(cut -d' ' -f1 /proc/uptime) s, kernel $(uname -r)"
insmod /vm/simhw/simhw.ko || echo 'vm-init: no simhw'
exec /lib/systemd/systemd --log-target=console --log-level=warning
`;

/** What must hold once the README has been typed. */
const CHECKS = `
until [ -S /run/wattfeed/agent.sock ]; do [ $SECONDS -lt 150 ]; sleep 1; done
runuser -u wattfeed -- wattfeed top --once --json >/vm/out/top.json
systemctl status --no-pager wattfeed
systemctl is-active wattfeed
pid=$(systemctl show --property MainPID --value wattfeed)
grep -E 'Uid|CapEff|NoNewPrivs|Seccomp:' /proc/$pid/status
test "$(stat -c %U /proc/$pid)" = wattfeed
cat /sys/class/powercap/intel-rapl:0/energy_uj | grep -q .
node -e 'const r=JSON.parse(require("fs").readFileSync("/vm/out/top.json")); console.log(r.source.label, r.processes.length, "processes"); if (r.source.origin !== "measured" || r.processes.length < 5) process.exit(1)'
systemctl stop wattfeed
test "$(systemctl show --property Result --value wattfeed)" = success
test "$(systemctl show --property ExecMainStatus --value wattfeed)" = 0
`;

const prepareRoot = (work: string, install: string): string => {
  const root = join(work, 'systemd-root');
  if (existsSync(join(root, 'ready'))) return root;
  rmSync(root, { recursive: true, force: true });
  layBase('node:24-bookworm', work, root);
  runIn(
    root,
    '/',
    'apt-get update && apt-get install -y --no-install-recommends systemd systemd-sysv dbus kmod',
  );
  const packed = join(work, 'stage-build', 'tmp');
  const name = readdirSync(packed).find((file) => /^wattfeed-.*\.tgz$/.test(file));
  if (name === undefined) throw new Error(`find a package in ${packed}: run prove-image.ts first`);
  cpSync(join(packed, name), join(root, 'root', name));
  runIn(root, '/root', `apt-get update && ${install}`);
  const units = join(root, 'etc/systemd/system');
  writeFileSync(join(units, 'typist.service'), TYPIST);
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true });
  for (const path of ['vm', 'product']) mkdirSync(join(root, path), { recursive: true });
  run('chroot', [root, 'systemctl', 'enable', 'typist.service']);
  run('chroot', [root, 'systemctl', 'set-default', 'graphical.target']);
  // Nothing to wait for: no disks, no network, no console to log in at.
  run('chroot', [
    root,
    'systemctl',
    'mask',
    'getty.target',
    'systemd-timesyncd',
    'systemd-udev-settle',
  ]);
  writeFileSync(join(root, 'ready'), '');
  return root;
};

const main = async (work: string): Promise<number> => {
  const [install = '', ...typed] = readmeCommands('systemd');
  if (makeImages(['7.3'], IMAGES_LIMIT_MILLIS) !== 0) return 1;
  const rootDirectory = prepareRoot(work, install);
  const outDirectory = join(work, 'systemd-out');
  // The live table ends by itself with --once; as written it would wait for a key.
  const commands = typed.map((line) => line.replace(/wattfeed top\b.*$/, 'true'));
  const result = await runInVm({
    shape: 'smt',
    kernel: '7.3',
    script: `trap 'systemctl status --no-pager wattfeed || true; journalctl --no-pager -u wattfeed | tail -30; mount | grep bpf || true' EXIT\ncd /product\n${commands.join('\n')}\n${CHECKS}`,
    limitMillis: LIMIT_MILLIS,
    outDirectory,
    onSerial: (text) => process.stdout.write(text),
    boot: { rootDirectory, init: INIT },
  });
  console.log(describeOutcome(result.outcome));
  return result.outcome._tag === 'Exited' ? result.outcome.code : 1;
};

process.exitCode = await main(process.argv[2] ?? '/var/tmp/wattfeed-image');
