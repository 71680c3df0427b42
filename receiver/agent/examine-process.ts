// SPDX-License-Identifier: Apache-2.0
/** `wattfeed spin PID`: samples the running threads of one process and judges each. */
import { setTimeout as wait } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { openSpinSampler } from '../../native/index.js';
import type { NativeError } from '../activity/port.js';
import type { Complaint } from '../model/errors.js';
import { decodeSamples, timespecTable } from '../spin/decode.js';
import { loadDisassemblers } from '../spin/disassemblers.js';
import { examine, type ExaminedThread, type Examination } from '../spin/examine.js';
import { relabelPolling, type RelabelPolling } from '../spin/pollers.js';
import { MAX_EXAMINED, type SpinSampler } from '../spin/port.js';
import {
  openProcessImage,
  threadName,
  threadsOf,
  type ProcessImage,
} from '../spin/process-image.js';
import { symbolAt } from '../spin/symbols.js';
import { sampleHertz } from '../spin/sampling-rate.js';
import type { ThreadSamples } from '../spin/samples.js';
import { busyThreads, type BusyThread } from '../spin/thread-time.js';

export interface ExamineOptions {
  readonly procfsRoot: string;
  readonly pid: number;
  readonly seconds: number;
  readonly pollers: readonly string[];
}

const LOOK_MILLIS = 250;
const MILLIS_PER_SECOND = 1000;

interface ExaminedProcess {
  readonly procfsRoot: string;
  readonly pid: number;
  readonly image: ProcessImage;
  readonly relabel: RelabelPolling;
}

/** With what a person wants to know. */
const named = (
  examination: Examination,
  { procfsRoot, pid, image, relabel }: ExaminedProcess,
): ExaminedThread => {
  const { hottestAddress: at, hottestPlace, tid } = examination;
  const names = {
    processName: threadName(procfsRoot, pid, pid),
    threadName: threadName(procfsRoot, pid, tid),
    hottestPlace,
  };
  return {
    ...examination,
    verdict: relabel(examination.verdict, names),
    threadName: names.threadName,
    hottestFunction:
      at === undefined ? undefined : symbolAt(procfsRoot, pid, image.mappingOf(at), at),
  };
};

const complaintOf = ({ operation, code, detail }: NativeError): Complaint => ({
  what: operation,
  cause: detail === '' ? code : `${code}: ${detail.split('\n').at(-1) ?? ''}`,
  remedy: 'run as root, or with CAP_BPF and CAP_PERFMON; see wattfeed check',
});

const noSuchProcess = (pid: number): Complaint => ({
  what: `examine process ${String(pid)}`,
  cause: 'there is no such process',
  remedy: '',
});

/** A thread that ends before it is sampled is left out. */
const sampleAll = async (
  sampler: SpinSampler,
  threads: readonly BusyThread[],
  seconds: number,
): Promise<readonly ThreadSamples[]> => {
  const begun = threads.flatMap(({ tid, runRatio }, number) =>
    E.isRight(sampler.begin(number, tid, sampleHertz(runRatio, seconds))) ? [number] : [],
  );
  await wait(seconds * MILLIS_PER_SECOND);
  return begun.flatMap((number) => {
    const bytes = sampler.end(number);
    const samples = E.isRight(bytes) ? decodeSamples(bytes.right) : undefined;
    return samples === undefined || samples.tid === 0 ? [] : [samples];
  });
};

/** One per thread that ran, the busiest first; empty where none did. */
export const examineProcess =
  ({
    procfsRoot,
    pid,
    seconds,
    pollers,
  }: ExamineOptions): TE.TaskEither<Complaint, readonly ExaminedThread[]> =>
  async () => {
    if (threadsOf(procfsRoot, pid).length === 0) return E.left(noSuchProcess(pid));
    const opened = openSpinSampler(timespecTable(), MAX_EXAMINED);
    if (E.isLeft(opened)) return E.left(complaintOf(opened.left));
    const sampler = opened.right;
    try {
      const busy = await busyThreads(procfsRoot, pid, async () => wait(LOOK_MILLIS));
      const sampled = await sampleAll(sampler, busy.slice(0, MAX_EXAMINED), seconds);
      const disassemblerFor = await loadDisassemblers(process.arch);
      const image = openProcessImage(procfsRoot, pid);
      try {
        const of = { procfsRoot, pid, image, relabel: relabelPolling(pollers) };
        return E.right(
          sampled.map((samples) => named(examine(samples, image, disassemblerFor), of)),
        );
      } finally {
        image.close();
      }
    } finally {
      sampler.close();
    }
  };
