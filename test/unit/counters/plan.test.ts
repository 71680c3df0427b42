// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  frequencyFactorsOf,
  frequencyFilesOf,
  referenceKhz,
} from '../../../receiver/counters/frequency.js';
import { planCounters, type CounterPlan } from '../../../receiver/counters/plan.js';
import { probeCounters } from '../../../receiver/counters/probe.js';
import { readCounterPlan } from '../../../receiver/counters/read-plan.js';
import { readCpuModel } from '../../../receiver/host/cpu-model.js';
import { readTopology } from '../../../receiver/host/topology.js';
import {
  COUNTER_KINDS,
  parseCounterChoice,
  parseCounterCpus,
} from '../../../receiver/model/counter-selection.js';
import { cpuTree, placesOf, type Entry } from '../../support/machines/tree.js';
import { rootsWith } from '../../support/machines/temporary-tree.js';

type Entries = Readonly<Record<string, Entry>>;

const DEVICES = 'sys/bus/event_source/devices';

const pmuTree = (name: string, type: number, files: Entries): Entries =>
  Object.fromEntries(
    Object.entries({ type: String(type), ...files }).map(([file, text]) => [
      `${DEVICES}/${name}/${file}`,
      text,
    ]),
  );

const X86_FILES: Entries = {
  'format/event': 'config:0-7,32-35',
  'format/umask': 'config:8-15',
  'events/cpu-cycles': 'event=0x3c',
  'events/instructions': 'event=0xc0',
  'events/cache-misses': 'event=0x2e,umask=0x41',
};

const cpuinfo = (vendor: string, family: number, model: number, flags = ''): Entries => ({
  'proc/cpuinfo': [
    `vendor_id\t: ${vendor}`,
    `cpu family\t: ${String(family)}`,
    `model\t\t: ${String(model)}`,
    'model name\t: Some CPU @ 2.40GHz',
    `flags\t\t: fpu ${flags}`,
  ].join('\n'),
});

const FOUR_CORES = cpuTree(placesOf({ packages: 1, coresPerPackage: 4, threadsPerCore: 1 }));

const planOf = (texts: readonly string[], cpus: string, ...parts: Entries[]): CounterPlan => {
  const roots = rootsWith(FOUR_CORES, ...parts);
  const facts = { cpuModel: readCpuModel(roots), host: readTopology(roots) };
  return readCounterPlan(roots, facts, {
    choices: texts.map(parseCounterChoice).filter((choice) => choice !== undefined),
    cpus: parseCounterCpus(cpus) ?? { _tag: 'All' },
  });
};

const ALL: readonly string[] = COUNTER_KINDS;

const configsOf = ({ byCpu }: CounterPlan, cpu: number) =>
  Object.fromEntries((byCpu[cpu] ?? []).map(({ kind, config }) => [kind, config]));

describe('planCounters', () => {
  it('takes the kernel’s names on Intel, and the vector event since Broadwell', () => {
    const plan = planOf(
      ALL,
      'all',
      pmuTree('cpu', 4, X86_FILES),
      cpuinfo('GenuineIntel', 6, 106, 'avx2 adx'),
    );
    expect(configsOf(plan, 3)).toEqual({
      cycles: 0x3cn,
      instructions: 0xc0n,
      llc: 0x412en,
      vector: 0xf0c7n,
    });
    expect(plan.byCpu.flat().every(({ pmuType }) => pmuType === 4)).toBe(true);
    expect(plan.pmus[0]?.missing).toEqual([]);
  });

  it('has no vector event on an Intel CPU before Broadwell', () => {
    const plan = planOf(
      ALL,
      'all',
      pmuTree('cpu', 4, X86_FILES),
      cpuinfo('GenuineIntel', 6, 60, 'avx2'),
    );
    expect(plan.pmus[0]?.missing).toEqual(['vector']);
    expect(Object.keys(configsOf(plan, 0))).toEqual(['cycles', 'instructions', 'llc']);
  });

  it('opens each core type of a hybrid CPU on its own PMU', () => {
    const plan = planOf(
      ALL,
      'all',
      pmuTree('cpu_core', 4, { ...X86_FILES, cpus: '0-1' }),
      pmuTree('cpu_atom', 8, { ...X86_FILES, cpus: '2-3' }),
      cpuinfo('GenuineIntel', 6, 154, 'avx2 adx'),
    );
    expect(plan.byCpu.map((specs) => specs.map(({ pmuType }) => pmuType))).toEqual([
      [4, 4, 4, 4],
      [4, 4, 4, 4],
      [8, 8, 8],
      [8, 8, 8],
    ]);
    expect(plan.pmus.find(({ pmu }) => pmu.name === 'cpu_atom')?.missing).toEqual(['vector']);
  });

  it('counts the 512-bit operations apart where the CPU has such, and misses them nowhere else', () => {
    const intel = planOf(
      ALL,
      'all',
      pmuTree('cpu', 4, X86_FILES),
      cpuinfo('GenuineIntel', 6, 106, 'avx2 adx avx512f'),
    );
    expect(configsOf(intel, 0)).toMatchObject({ vector: 0xf0c7n, vector512: 0xc0c7n });
    const zen4 = planOf(
      ['vector512'],
      'all',
      pmuTree('cpu', 4, X86_FILES),
      cpuinfo('AuthenticAMD', 0x19, 0x11, 'avx2 avx512f'),
    );
    expect(configsOf(zen4, 0)).toEqual({ vector512: 0x2008n });
    const zen3 = planOf(
      ['vector512'],
      'all',
      pmuTree('cpu', 4, X86_FILES),
      cpuinfo('AuthenticAMD', 0x19, 0x01, 'avx2'),
    );
    expect(zen3.pmus[0]?.missing).toEqual([]);
  });

  it('names the PMU of a generic event where there are several and none has names', () => {
    const plan = planOf(
      ['cycles', 'llc'],
      'all',
      pmuTree('cpu_core', 4, { cpus: '0-1' }),
      pmuTree('cpu_atom', 8, { cpus: '2-3' }),
    );
    expect(configsOf(plan, 0)).toEqual({ cycles: 4n << 32n, llc: (4n << 32n) | 3n });
    expect(configsOf(plan, 3)).toEqual({ cycles: 8n << 32n, llc: (8n << 32n) | 3n });
    expect(plan.byCpu.flat().every(({ pmuType }) => pmuType === 0)).toBe(true);
  });

  it('counts fills from memory on AMD, whose cache-misses are those of the L2', () => {
    const files = { ...X86_FILES, 'events/cache-misses': 'event=0x64,umask=0x09' };
    const amd = (family: number, model: number) =>
      planOf(
        ['llc', 'vector'],
        'all',
        pmuTree('cpu', 4, files),
        cpuinfo('AuthenticAMD', family, model),
      );
    expect(configsOf(amd(0x17, 0x31), 0)).toEqual({ llc: 0x4843n });
    expect(configsOf(amd(0x19, 0x01), 0)).toEqual({ llc: 0x4844n });
    expect(configsOf(amd(0x19, 0x11), 0)).toEqual({ llc: 0x4844n, vector: 0x3008n });
    expect(configsOf(amd(0x1a, 0x02), 0)).toEqual({ llc: 0x4844n, vector: 0x3008n });
  });

  it('knows the names of arm64', () => {
    const plan = planOf(
      ALL,
      'all',
      pmuTree('armv8_pmuv3_0', 8, {
        cpus: '0-3',
        'format/event': 'config:0-15',
        'events/cpu_cycles': 'event=0x0011',
        'events/inst_retired': 'event=0x0008',
        'events/ll_cache_miss_rd': 'event=0x0037',
        'events/ase_spec': 'event=0x0074',
      }),
    );
    expect(configsOf(plan, 2)).toEqual({
      cycles: 0x11n,
      instructions: 0x8n,
      llc: 0x37n,
      vector: 0x74n,
    });
  });

  it('takes the event number that the configuration gives', () => {
    const plan = planOf(['cycles', 'vector=0x30c7'], 'all', pmuTree('cpu', 4, X86_FILES));
    expect(configsOf(plan, 0)).toEqual({ cycles: 0x3cn, vector: 0x30c7n });
  });

  it('counts on the CPUs asked for only, and nothing where there is no PMU', () => {
    const lengths = (cpus: string, ...parts: Entries[]) =>
      planOf(['cycles'], cpus, ...parts).byCpu.map((specs) => specs.length);
    const pmu = pmuTree('cpu', 4, X86_FILES);
    expect(lengths('1-2', pmu)).toEqual([0, 1, 1, 0]);
    expect(lengths('1/2', pmu)).toEqual([1, 0, 1, 0]);
    expect(lengths('1/1', pmu)).toEqual([1, 1, 1, 1]);
    expect(lengths('all')).toEqual([0, 0, 0, 0]);
  });

  it('keeps the threads of a core together under 1/N', () => {
    const roots = rootsWith(
      cpuTree(placesOf({ packages: 1, coresPerPackage: 2, threadsPerCore: 2 })),
      pmuTree('cpu', 4, X86_FILES),
    );
    const facts = { cpuModel: readCpuModel(roots), host: readTopology(roots) };
    const plan = readCounterPlan(roots, facts, {
      choices: [{ kind: 'cycles', config: undefined }],
      cpus: { _tag: 'EveryNth', nth: 2 },
    });
    // cores are CPUs (0, 2) and (1, 3)
    expect(plan.byCpu.map((specs) => specs.length)).toEqual([1, 0, 1, 0]);
  });

  it('is empty for an empty topology', () => {
    const topology = { cpus: [], cpuDomains: [], packageIds: [] };
    const maker = { model: readCpuModel(rootsWith({})), flags: new Set<string>() };
    expect(planCounters([], maker, topology, { choices: [], cpus: { _tag: 'All' } }).byCpu).toEqual(
      [],
    );
  });
});

describe('probeCounters', () => {
  it('opens each event on the first online CPU of its PMU and keeps the error', () => {
    const roots = rootsWith(FOUR_CORES, pmuTree('cpu', 4, X86_FILES));
    const { topology } = readTopology(roots);
    const plan = planOf(['cycles', 'llc'], '2-3', pmuTree('cpu', 4, X86_FILES));
    const asked: number[] = [];
    const probed = probeCounters(plan, topology, (spec) => {
      asked.push(spec.cpu);
      return spec.config === 0x3cn
        ? E.right({ first: 1n, last: 1n })
        : E.left({ _tag: 'NativeError', operation: '', errno: 2, code: 'ENOENT', detail: '' });
    });
    expect(asked).toEqual([2, 2]);
    expect(probed).toEqual([
      {
        pmu: 'cpu',
        cpuCount: 2,
        events: [
          { kind: 'cycles', label: 'cpu/cpu-cycles/', code: '' },
          { kind: 'llc', label: 'cpu/cache-misses/', code: 'ENOENT' },
        ],
        missing: [],
      },
    ]);
  });
});

describe('referenceKhz', () => {
  const directory = 'sys/devices/system/cpu/cpu0';
  const of = (...parts: Entries[]): number | undefined => {
    const roots = rootsWith(...parts);
    return referenceKhz(roots.sysfs, 0, readCpuModel(roots));
  };
  const max = { [`${directory}/cpufreq/cpuinfo_max_freq`]: '3700000' };
  const base = { [`${directory}/cpufreq/base_frequency`]: '2100000' };
  const nominal = { [`${directory}/acpi_cppc/nominal_freq`]: '2250' };

  it('prefers the base frequency, then the nominal one, then the name, then the highest', () => {
    const named = cpuinfo('GenuineIntel', 6, 106);
    expect(of(max, base, nominal, named)).toBe(2_100_000);
    expect(of(max, nominal, named)).toBe(2_250_000);
    expect(of(max, named)).toBe(2_400_000);
    expect(of(max)).toBe(3_700_000);
    expect(of({})).toBeUndefined();
  });

  it('gives a table per CPU domain and a file per CPU, none where cpufreq is not', () => {
    const roots = rootsWith(FOUR_CORES, base, { [`${directory}/cpufreq/scaling_cur_freq`]: '1' });
    const { topology } = readTopology(roots);
    const tables = frequencyFactorsOf(roots.sysfs, topology, readCpuModel(roots));
    expect(tables).toHaveLength(1);
    expect(Math.abs((tables[0]?.[131] ?? 0) - 1)).toBeLessThan(0.01);
    const files = frequencyFilesOf(roots.sysfs, 4);
    expect(files.map((file) => file.replace(roots.sysfs, ''))).toEqual([
      '/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq',
      '',
      '',
      '',
    ]);
  });
});
