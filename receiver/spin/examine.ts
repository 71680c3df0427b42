// SPDX-License-Identifier: Apache-2.0
/** Samples of a thread and its process's memory to a verdict, with the loop as one would read it. */
import type { SpinVerdict } from '../model/spin.js';
import { CodeMap, nextOf } from './code-map.js';
import { findLoop, type FoundLoop } from './find-loop.js';
import type { Disassembler, Instruction } from './instruction.js';
import type { CodeAt } from './judge-program.js';
import { loopFeatures } from './loop-features.js';
import type { ProcessImage } from './process-image.js';
import { byAddress, kernelShare, sampleCount, type ThreadSamples } from './samples.js';
import { judgeSpin } from './verdict.js';

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
  readonly hottestAddress: bigint | undefined;
  readonly listing: readonly ListingLine[];
}

/** For a person. */
export interface ExaminedThread extends Examination {
  readonly threadName: string;
  /** Undefined: stripped, or compiled while running by somebody who does not say. */
  readonly hottestFunction: string | undefined;
}

/** Hotter than all others; what is rarer is judged by its states alone. */
const MAX_ADDRESSES = 48;
/** A listing is to be read by a person. */
const MAX_LISTING = 24;
const CLOCK_PAGES: ReadonlySet<string> = new Set(['[vdso]', '[vvar]', '[vvar_vclock]']);

type Loops = ReadonlyMap<bigint, FoundLoop>;

/** Loops that pass through several addresses are looked for once; those in callees when the calls are known. */
const findLoops = (all: readonly bigint[], code: CodeMap): Loops => {
  const addresses = all.slice(0, MAX_ADDRESSES);
  const found = new Map<bigint, FoundLoop>();
  const look = (address: bigint): void => {
    if (found.get(address)?._tag === 'Closed') return;
    const loop = findLoop(code, address);
    found.set(address, loop);
    if (loop._tag !== 'Closed') return;
    for (const { address: at } of loop.path)
      if (found.get(at)?._tag !== 'Closed') found.set(at, loop);
  };
  addresses.forEach(look);
  addresses.filter((address) => found.get(address)?._tag === 'Open').forEach(look);
  return found;
};

type ClosedLoop = Extract<FoundLoop, { _tag: 'Closed' }>;

/** Features of each, and which are parts of others that leave results. */
const describeLoops = (loops: Loops): ReadonlyMap<FoundLoop, CodeAt> => {
  const closed = [...new Set(loops.values())].filter(
    (loop): loop is ClosedLoop => loop._tag === 'Closed',
  );
  const described = closed.map((loop) => ({
    loop,
    features: loopFeatures(loop.path),
    // What it branches to belongs to it, though the shortest way round is another.
    addresses: new Set(
      loop.path.flatMap((one) =>
        one.flow._tag === 'Branch' ? [one.address, one.flow.target, nextOf(one)] : [one.address],
      ),
    ),
  }));
  const isPart = (loop: ClosedLoop): boolean =>
    described.some(
      ({ loop: other, features, addresses }) =>
        other !== loop &&
        features.yields &&
        loop.path.some(({ address }) => addresses.has(address)),
    );
  return new Map(
    described.map(({ loop, features }) => [
      loop,
      { _tag: 'Loop', features, isPart: isPart(loop) } as const,
    ]),
  );
};

const codeReader = (
  loops: Loops,
  image: ProcessImage,
  disassembler: Disassembler | undefined,
): ((address: bigint) => CodeAt) => {
  const described = describeLoops(loops);
  const openAt = (address: bigint): CodeAt => {
    const { pauseBytes = 0 } = disassembler ?? {};
    const before = image.readCode(address - BigInt(pauseBytes))?.subarray(0, pauseBytes);
    const isBehindPause = before !== undefined && disassembler?.isBehindPause(before) === true;
    return { _tag: 'Open', isBehindPause };
  };
  return (address) => {
    if (CLOCK_PAGES.has(image.mappingOf(address)?.name ?? '')) return { _tag: 'ClockPage' };
    const loop = loops.get(address);
    if (loop?._tag === 'Open' || (loop === undefined && disassembler && image.readCode(address)))
      return openAt(address);
    return (loop === undefined ? undefined : described.get(loop)) ?? { _tag: 'Unreadable' };
  };
};

/** The part of the loop around its hottest instruction. */
const listingOf = (
  path: readonly Instruction[],
  samples: ThreadSamples,
): readonly ListingLine[] => {
  const groups = byAddress(samples);
  const counts = new Map(groups.map(([address, { length }]) => [address, length] as const));
  const loop = path.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const at = loop.findIndex(({ address }) => address === groups[0]?.[0]);
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
  const addresses = byAddress(samples).map(([address]) => address);
  const disassembler = disassemblerFor(samples.is32Bit);
  const loops =
    disassembler === undefined
      ? new Map<bigint, FoundLoop>()
      : findLoops(addresses, new CodeMap(image.readCode, disassembler));
  const [hottest] = addresses;
  const loop = hottest === undefined ? undefined : loops.get(hottest);
  return {
    tid: samples.tid,
    verdict: judgeSpin({ samples, codeAt: codeReader(loops, image, disassembler) }),
    sampleCount: sampleCount(samples),
    kernelShare: kernelShare(samples),
    hottestPlace: hottest === undefined ? '' : (image.mappingOf(hottest)?.name ?? ''),
    hottestAddress: hottest,
    listing: loop?._tag === 'Closed' ? listingOf(loop.path, samples) : [],
  };
};
