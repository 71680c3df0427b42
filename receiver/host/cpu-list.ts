// SPDX-License-Identifier: Apache-2.0
/** The kernel's list format, `0-3,8,10-11`, as in `cpulist`, `online`, `cpumask`. Unreadable parts are left out. */
const RANGE = /^(\d{1,5})(?:-(\d{1,5}))?$/;

export const parseCpuList = (text: string): readonly number[] => {
  const cpus = new Set<number>();
  for (const part of text.split(',')) {
    const match = RANGE.exec(part.trim());
    if (match === null) continue;
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
};

/** The shortest list text of the same CPUs: `0-3,8`. */
export const formatCpuList = (cpus: readonly number[]): string => {
  const parts: string[] = [];
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  let from: number | undefined;
  sorted.forEach((cpu, index) => {
    from ??= cpu;
    if (sorted[index + 1] === cpu + 1) return;
    parts.push(from === cpu ? String(cpu) : `${String(from)}-${String(cpu)}`);
    from = undefined;
  });
  return parts.join(',');
};
