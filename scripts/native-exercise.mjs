// SPDX-License-Identifier: Apache-2.0
// Uses everything the addon offers a few times and ends by itself, so that the leak check of
// scripts/native-asan.sh runs: vitest's processes are killed before it would.
//   node scripts/native-exercise.mjs ADDON
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const addon = createRequire(import.meta.url)(process.argv[2]);
const possible = readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim();
const cpuCount = Number(possible.split('-').at(-1)) + 1;
const options = {
  maxTasks: 4096,
  cpuDomains: new Array(cpuCount).fill(0),
  smtSiblings: new Array(cpuCount).fill(-1),
  cgroupHierarchy: 'unified',
  bpfStats: true,
};
const perf = { kind: 'perf', pmuType: 1, config: 0n, cpu: 0 };
const sources = [{ kind: 'file', path: '/proc/uptime' }, { kind: 'file', path: '/none' }, perf];
const ROUNDS = 3;

const rejected = (call) => {
  try {
    call();
    return false;
  } catch {
    return true;
  }
};

let bytes = 0;
for (let round = 0; round < ROUNDS; round++) {
  addon.probeFeatures();
  addon.probePerf(perf, 1);
  addon.probePerf({ ...perf, pmuType: 0x7fffffff }, 1);
  addon.lockDirectory('/none');
  const refused = await addon.openSession({ ...options, cgroupHierarchy: 'nonesuch' });
  const { value: session } = await addon.openSession(options);
  session.start({ windowMillis: 20, wakeEvery: 2, sources }, (batch) => (bytes += batch.length));
  session.start({ windowMillis: 20, wakeEvery: 1, sources }, () => undefined);
  await session.closeWindow();
  session.setTag(process.pid, round);
  session.programStats();
  session.setWakeEvery(1);
  session.setWindowMillis(30);
  const throwsAll = [() => session.start(), () => addon.openSession({}), () => addon.probePerf()];
  if (!throwsAll.every(rejected) || refused.ok) process.exitCode = 1;
  await Promise.all([session.closeWindow(), session.close(), session.close()]);
  const { value: idle } = await addon.openSession(options);
  await idle.close();
}
addon.lockDirectory('/tmp');
if (bytes === 0) process.exitCode = 1;
