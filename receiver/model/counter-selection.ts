// SPDX-License-Identifier: Apache-2.0
/** What the configuration says of hardware counters: which are counted, by which event, on which CPUs. */

/**
 * `llc`: last-level cache misses or fills from memory. `vector`: operations of 256 bits and more;
 * `vector512`: those of them that are 512 bits wide, which the model takes twice.
 */
export const COUNTER_KINDS = ['cycles', 'instructions', 'llc', 'vector', 'vector512'] as const;
export type CounterKind = (typeof COUNTER_KINDS)[number];

export interface CounterChoice {
  readonly kind: CounterKind;
  /** `perf_event_attr.config` of the core PMU, where the built-in table has no event or a wrong one. */
  readonly config: bigint | undefined;
}

const CHOICE = /^(\w+)(?:=(0x[0-9a-f]{1,16}))?$/i;

/** `llc`, or `vector=0xf0c7`; undefined for anything else. */
export const parseCounterChoice = (text: string): CounterChoice | undefined => {
  const [, name, config] = CHOICE.exec(text) ?? [];
  const kind = COUNTER_KINDS.find((known) => known === name);
  if (kind === undefined) return undefined;
  return { kind, config: config === undefined ? undefined : BigInt(config) };
};

export type CounterCpus =
  | { readonly _tag: 'All' }
  | { readonly _tag: 'Ranges'; readonly ranges: readonly (readonly [number, number])[] }
  /** Every n-th core, with all its threads. */
  | { readonly _tag: 'EveryNth'; readonly nth: number };

const FRACTION = /^1\/([1-9]\d{0,3})$/;
const RANGE = /^(\d{1,4})(?:-(\d{1,4}))?$/;

const parseRange = (text: string): readonly [number, number] | undefined => {
  const [, first, last] = RANGE.exec(text) ?? [];
  if (first === undefined) return undefined;
  const range = [Number(first), Number(last ?? first)] as const;
  return range[0] <= range[1] ? range : undefined;
};

/** `all`, CPUs as the kernel lists them (`0-3,8`), or `1/4`; undefined for anything else. */
export const parseCounterCpus = (text: string): CounterCpus | undefined => {
  if (text === 'all') return { _tag: 'All' };
  const nth = FRACTION.exec(text)?.[1];
  if (nth !== undefined) return { _tag: 'EveryNth', nth: Number(nth) };
  const ranges = text.split(',').map(parseRange);
  const known = ranges.filter((range) => range !== undefined);
  return known.length === ranges.length ? { _tag: 'Ranges', ranges: known } : undefined;
};

export interface CounterSelection {
  /** Empty: nothing is counted. */
  readonly choices: readonly CounterChoice[];
  readonly cpus: CounterCpus;
}
