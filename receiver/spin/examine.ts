// SPDX-License-Identifier: Apache-2.0
/** Samples of a thread and its process's memory to a verdict, with the loop as one would read it. */
import type { SpinVerdict } from '../model/spin.js';
import { exploreCode, loopThrough, type CodeGraph } from './code-graph.js';
import type { Disassembler, Instruction } from './instruction.js';
import { loopFeatures, type LoopFeatures } from './loop-features.js';
import type { ProcessImage } from './process-image.js';
import { sampleCount, type AddressSamples, type ThreadSamples } from './samples.js';
import { judgeSpin, type CodeAt } from './verdict.js';

/** Disassemblers by bitness; undefined: this machine's code cannot be read. */
export type DisassemblerFor = (is32Bit: boolean) => Disassembler | undefined;

/** One line of the hottest loop. */
export interface ListingLine {
  readonly address: bigint;
  readonly text: string;
  /** Of all samples, 0..1. */
  readonly share: number;
}

export interface Examination {
  readonly tid: number;
  readonly verdict: SpinVerdict;
  readonly sampleCount: number;
  readonly kernelShare: number;
  /** Where the hottest code lies: file or `[vdso]`; empty: no file (compiled while running). */
  readonly hottestPlace: string;
  readonly listing: readonly ListingLine[];
}

/** A listing is to be read by a person. */
const MAX_LISTING = 24;
const CLOCK_PAGES: ReadonlySet<string> = new Set(['[vdso]', '[vvar]', '[vvar_vclock]']);

const hottestFirst = (addresses: readonly AddressSamples[]): readonly AddressSamples[] =>
  addresses.toSorted((a, b) => b.count - a.count);

/** Features are the loop's: all its addresses share them. */
const codeReader = (graph: CodeGraph | undefined, image: ProcessImage): CodeAt => {
  const known = new Map<bigint, LoopFeatures | undefined>();
  return (address) => {
    if (CLOCK_PAGES.has(image.mappingOf(address)?.name ?? '')) return 'clock-page';
    if (graph === undefined) return undefined;
    if (known.has(address)) return known.get(address);
    const loop = loopThrough(graph, address);
    const features = loop.length === 0 ? undefined : loopFeatures(loop);
    for (const { address: at } of loop) known.set(at, features);
    known.set(address, features);
    return features;
  };
};

/** The part of the loop around its hottest instruction. */
const listingOf = (
  loop: readonly Instruction[],
  hottest: AddressSamples,
  samples: ThreadSamples,
): readonly ListingLine[] => {
  const counts = new Map(samples.addresses.map(({ address, count }) => [address, count] as const));
  const at = loop.findIndex(({ address }) => address === hottest.address);
  const from = Math.max(0, Math.min(at - MAX_LISTING / 2, loop.length - MAX_LISTING));
  return loop.slice(from, from + MAX_LISTING).map(({ address, text }) => ({
    address,
    text,
    share: (counts.get(address) ?? 0) / Math.max(1, sampleCount(samples)),
  }));
};

export const examine = (
  samples: ThreadSamples,
  image: ProcessImage,
  disassemblerFor: DisassemblerFor,
): Examination => {
  const addresses = hottestFirst(samples.addresses);
  const disassembler = disassemblerFor(samples.is32Bit);
  const graph =
    disassembler &&
    exploreCode(
      addresses.map(({ address }) => address),
      image.readCode,
      disassembler,
    );
  const verdict = judgeSpin({
    samples,
    codeAt: codeReader(graph, image),
    isNonBlocking: image.isNonBlocking,
  });
  const [hottest] = addresses;
  const loop = graph && hottest ? loopThrough(graph, hottest.address) : [];
  return {
    tid: samples.tid,
    verdict,
    sampleCount: sampleCount(samples),
    kernelShare: samples.kernelCount / Math.max(1, sampleCount(samples)),
    hottestPlace: hottest === undefined ? '' : (image.mappingOf(hottest.address)?.name ?? ''),
    listing: hottest === undefined ? [] : listingOf(loop, hottest, samples),
  };
};
