// SPDX-License-Identifier: Apache-2.0
/** Which event of a core PMU counts what: the kernel's own names first, then what the maker documents. */
import type { CpuModel } from '../host/cpu-model.js';
import type { CounterKind } from '../model/counter-selection.js';
import type { CorePmu } from './core-pmu.js';
import { encodeConfig, parseTerms } from './event-terms.js';

/** A PMU that `events/` says nothing of still knows the generic ones: PERF_TYPE_HARDWARE and its numbers. */
const PERF_TYPE_HARDWARE = 0;
const GENERIC: Readonly<Partial<Record<CounterKind, bigint>>> = {
  cycles: 0n,
  instructions: 1n,
  llc: 3n,
};
/** Upper half of `config`: which PMU a generic event is meant for (since Linux 5.12). */
const EXTENDED_TYPE_SHIFT = 32n;

/** x86 first, then arm64. */
const KERNEL_NAMES: Readonly<Record<CounterKind, readonly string[]>> = {
  cycles: ['cpu-cycles', 'cpu_cycles'],
  instructions: ['instructions', 'inst_retired'],
  llc: ['cache-misses', 'll_cache_miss_rd', 'l3d_cache_refill'],
  vector: ['ase_spec'],
  vector512: [],
};

export interface MakerEvent {
  readonly label: string;
  readonly terms: string;
}

const FAMILY_INTEL_CORE = 6;
const FAMILY_ZEN_1 = 0x17;
const FAMILY_ZEN_3 = 0x19;
const FAMILY_ZEN_5 = 0x1a;
/** Family 19h holds Zen 3 (below) and Zen 4. */
const MODEL_ZEN_4 = 0x10;

/** Of 256 and 512 bits, single and double; fused multiply-adds count twice. Since Broadwell. */
const INTEL_VECTOR: MakerEvent = {
  label: 'FP_ARITH_INST_RETIRED 256 and 512 bit',
  terms: 'event=0xc7,umask=0xf0',
};
/** Operations of 256 and 512 bits retired. Since Zen 4. */
const AMD_VECTOR: MakerEvent = {
  label: 'fp_ops_retired_by_width 256 and 512 bit',
  terms: 'event=0x08,umask=0x30',
};
/** The same two, of 512 bits only. */
const INTEL_VECTOR_512: MakerEvent = {
  label: 'FP_ARITH_INST_RETIRED 512 bit',
  terms: 'event=0xc7,umask=0xc0',
};
const AMD_VECTOR_512: MakerEvent = {
  label: 'fp_ops_retired_by_width 512 bit',
  terms: 'event=0x08,umask=0x20',
};
/** AMD's generic cache-misses are those of the L2: fills from local and remote memory instead. */
const amdMisses = (event: string): MakerEvent => ({
  label: 'fills from memory',
  terms: `event=${event},umask=0x48`,
});

/** False: there is nothing of the kind to count, so that nobody need be told that it is not counted. */
export const mayOccur = ({ flags }: CpuMaker, kind: CounterKind): boolean =>
  kind !== 'vector512' || flags.has('avx512f');

/** E-cores have no such event; `adx` came with Broadwell, as the event did. */
const intelEvents = (pmu: CorePmu, flags: ReadonlySet<string>, kind: CounterKind) => {
  if (pmu.name === 'cpu_atom') return undefined;
  if (kind === 'vector512') return INTEL_VECTOR_512;
  return kind === 'vector' && flags.has('avx2') && flags.has('adx') ? INTEL_VECTOR : undefined;
};

const amdEvents = ({ family = 0, model = 0 }: CpuModel, kind: CounterKind) => {
  const isZen4 = family >= FAMILY_ZEN_5 || (family === FAMILY_ZEN_3 && model >= MODEL_ZEN_4);
  if (kind === 'vector512') return isZen4 ? AMD_VECTOR_512 : undefined;
  if (kind === 'vector') return isZen4 ? AMD_VECTOR : undefined;
  if (kind !== 'llc' || family < FAMILY_ZEN_1) return undefined;
  return amdMisses(family >= FAMILY_ZEN_3 ? '0x44' : '0x43');
};

export interface CpuMaker {
  readonly model: CpuModel;
  /** `flags` of /proc/cpuinfo. */
  readonly flags: ReadonlySet<string>;
}

/** What the maker's manual has for this kind and the kernel does not name. */
export const makerEvent = (
  maker: CpuMaker,
  pmu: CorePmu,
  kind: CounterKind,
): MakerEvent | undefined => {
  if (!mayOccur(maker, kind)) return undefined;
  const { model, flags } = maker;
  if (model.vendor === 'GenuineIntel' && (model.family ?? 0) >= FAMILY_INTEL_CORE)
    return intelEvents(pmu, flags, kind);
  if (model.vendor === 'AuthenticAMD' || model.vendor === 'HygonGenuine')
    return amdEvents(model, kind);
  return undefined;
};

export interface EventChoice {
  readonly kind: CounterKind;
  readonly pmuType: number;
  readonly config: bigint;
  /** For people: `cpu/cache-misses/`. */
  readonly label: string;
}

const encoded = (
  pmu: CorePmu,
  kind: CounterKind,
  text: string,
  name: string,
): EventChoice | undefined => {
  const terms = parseTerms(text);
  const config = terms === undefined ? undefined : encodeConfig(terms, pmu.formats);
  if (config === undefined) return undefined;
  return { kind, pmuType: pmu.pmuType, config, label: `${pmu.name}/${name}/` };
};

const byKernelName = (pmu: CorePmu, kind: CounterKind): EventChoice | undefined => {
  for (const name of KERNEL_NAMES[kind]) {
    const text = pmu.events.get(name);
    const choice = text === undefined ? undefined : encoded(pmu, kind, text, name);
    if (choice !== undefined) return choice;
  }
  return undefined;
};

const generic = (pmu: CorePmu, kind: CounterKind): EventChoice | undefined => {
  const number = GENERIC[kind];
  if (number === undefined) return undefined;
  const isOneOfSeveral = pmu.cpus !== undefined;
  const extended = isOneOfSeveral ? BigInt(pmu.pmuType) << EXTENDED_TYPE_SHIFT : 0n;
  const config = extended | number;
  return {
    kind,
    pmuType: PERF_TYPE_HARDWARE,
    config,
    label: `${pmu.name}, generic ${kind}`,
  };
};

/** Undefined where this PMU has no event of the kind. */
export const chooseEvent = (
  pmu: CorePmu,
  maker: CpuMaker,
  kind: CounterKind,
): EventChoice | undefined => {
  const known = makerEvent(maker, pmu, kind);
  // Where the maker's event is the right one, the generic one is not: AMD's counts the L2.
  if (known !== undefined) return encoded(pmu, kind, known.terms, known.label);
  return byKernelName(pmu, kind) ?? generic(pmu, kind);
};
