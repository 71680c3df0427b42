// SPDX-License-Identifier: Apache-2.0
/** A record of samples to what is said of its thread, with what was read of its process on the way. */
import { readFileSync } from 'node:fs';
import { escapeText } from '../model/escape.js';
import type { SpinVerdict } from '../model/spin.js';
import { decodeSamples } from './decode.js';
import { loadDisassemblers } from './disassemblers.js';
import { examine, type Examination } from './examine.js';
import { openProcessImage } from './process-image.js';
import { symbolAt } from './symbols.js';

export interface DecisionRequest {
  /** One `struct spin_record`. */
  readonly bytes: Uint8Array;
  readonly tid: number;
  readonly tgid: number;
  readonly procfsRoot: string;
}

export interface Decision {
  readonly examination: Examination;
  /** CPU time that it took. */
  readonly costMillis: number;
}

const NANOS_PER_MILLI = 1e6;

/** Of this thread; among many busy ones the time that passes is many times as long. */
const cpuMillis = (): number => {
  try {
    const [nanos = ''] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
    return Number(nanos) / NANOS_PER_MILLI;
  } catch {
    return performance.now(); // a kernel that keeps none
  }
};

const withFunction = (verdict: SpinVerdict, name: string | undefined): SpinVerdict =>
  verdict._tag === 'Spinning' && name !== undefined
    ? { ...verdict, evidence: `${verdict.evidence}, in ${escapeText(name)}` }
    : verdict;

/** Undefined: these are not samples of that thread. */
export const decide = async ({
  bytes,
  tid,
  tgid,
  procfsRoot,
}: DecisionRequest): Promise<Decision | undefined> => {
  const samples = decodeSamples(bytes);
  if (samples?.tid !== tid) return undefined;
  const disassemblerFor = await loadDisassemblers(process.arch);
  const begin = cpuMillis();
  const image = openProcessImage(procfsRoot, tgid);
  try {
    const { verdict, ...rest } = examine(samples, image, disassemblerFor);
    const at = verdict._tag === 'Spinning' ? rest.hottestAddress : undefined;
    const name = at === undefined ? undefined : symbolAt(procfsRoot, tgid, image.mappingOf(at), at);
    const examination = { ...rest, verdict: withFunction(verdict, name) };
    return { examination, costMillis: cpuMillis() - begin };
  } finally {
    image.close();
  }
};
