// SPDX-License-Identifier: Apache-2.0
/**
 * The kernel's own notation of perf events: `event=0x2e,umask=0x41` under a PMU's `events/`, and
 * where each term's bits go (`config:0-7,32-35`) under its `format/`.
 */

/** name -> number, in the order written; undefined where a term is not a number (`ldlat=?`). */
export const parseTerms = (text: string): ReadonlyMap<string, bigint> | undefined => {
  const terms = new Map<string, bigint>();
  for (const term of text.split(',')) {
    const match = /^\s*(\w+)\s*(?:=\s*(0x[0-9a-f]+|\d+)\s*)?$/i.exec(term);
    if (match?.[1] === undefined) return undefined;
    // a term without a value is a flag
    terms.set(match[1], BigInt(match[2] ?? 1));
  }
  return terms;
};

/** Bit positions in `perf_event_attr.config`, lowest first; undefined for any other word (`config1`). */
export const parseFormat = (text: string): readonly number[] | undefined => {
  const match = /^config:([\d,-]+)$/.exec(text.trim());
  if (match?.[1] === undefined) return undefined;
  const bits: number[] = [];
  for (const range of match[1].split(',')) {
    const [, first, last] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(range) ?? [];
    if (first === undefined) return undefined;
    const [low, high] = [Number(first), Number(last ?? first)];
    if (high < low || high > 63) return undefined;
    for (let bit = low; bit <= high; bit++) bits.push(bit);
  }
  return bits;
};

const spread = (value: bigint, bits: readonly number[]): bigint | undefined => {
  if (value >> BigInt(bits.length) !== 0n) return undefined;
  return bits.reduce(
    (config, bit, at) => config | (((value >> BigInt(at)) & 1n) << BigInt(bit)),
    0n,
  );
};

/** `perf_event_attr.config`; undefined where a term has no place in it or does not fit its place. */
export const encodeConfig = (
  terms: ReadonlyMap<string, bigint>,
  formats: ReadonlyMap<string, string>,
): bigint | undefined => {
  let config = 0n;
  for (const [name, value] of terms) {
    const bits = parseFormat(formats.get(name) ?? '');
    const part = bits === undefined ? undefined : spread(value, bits);
    if (part === undefined) return undefined;
    config |= part;
  }
  return config;
};
