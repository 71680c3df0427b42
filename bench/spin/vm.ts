// SPDX-License-Identifier: Apache-2.0
/**
 * All programs in C of the corpus in the simulated machine, SPIN_AT_A_TIME (24) at a time, with counters of
 * what such programs count: what each look at them said. `npm run bench:spin -- --vm`
 */
import { makeImages, whyNoVm } from '../../test/vm/harness/cache.js';
import {
  runSpinPrograms,
  VM_SPINNING,
  VM_WORKING,
  type SpinRow,
} from '../../test/vm/harness/spin.js';
import { confusionText, type Judged } from '../../test/spin/judge-corpus.js';

const AT_A_TIME = Number(process.env['SPIN_AT_A_TIME'] ?? 24);
const LOOKS = Number(process.env['SPIN_LOOKS'] ?? 2);
const START_SECONDS = 120;
const MAKE_IMAGES_LIMIT_MILLIS = 1_800_000;
/** Of each group. */
const LIMIT_SECONDS = 90;
/** Who sleeps now and then is nobody to look at. */
const UNSEEN_SECONDS = 45;

const NAMES = { working: 'Working', unknown: 'Unknown' } as const;

const judgedOf = ({ program, looks }: SpinRow): readonly Judged[] =>
  looks.map(({ verdict, kind, evidence }) => ({
    program,
    verdict: verdict === 'spinning' ? kind : NAMES[verdict],
    evidence,
  }));

const isRight = ({ program, verdict }: Judged): boolean =>
  program.kinds.length === 0 ? verdict === 'Working' : program.kinds.includes(verdict);

const shareText = (part: number, whole: number): string =>
  `${String(part)} of ${String(whole)} (${((100 * part) / Math.max(1, whole)).toFixed(1)} %)`;

const say = (rows: readonly SpinRow[]): void => {
  const judged = rows.flatMap(judgedOf);
  const told = judged.filter(({ verdict }) => verdict !== 'Unknown');
  const spinners = told.filter(({ program }) => program.kinds.length > 0);
  const workers = told.filter(({ program }) => program.kinds.length === 0);
  const counted = spinners.filter(({ evidence }) => /IPC .*cache misses .*branches/.test(evidence));
  console.log(confusionText(judged));
  const right = (all: readonly Judged[]): string =>
    shareText(all.filter(isRight).length, all.length);
  console.log(`looks that told nothing: ${shareText(judged.length - told.length, judged.length)}`);
  console.log(`looks at spinners, their kind said: ${right(spinners)}`);
  console.log(`looks at workers, said to work: ${right(workers)}`);
  console.log(`with IPC, cache misses and branches: ${shareText(counted.length, spinners.length)}`);
  for (const { program } of rows.filter(({ looks }) => looks.length === 0))
    console.log(`${program.name}: never looked at`);
  for (const { program, verdict, evidence } of judged.filter((one) => !isRight(one)))
    console.log(`${program.name}: ${verdict}: ${evidence}`);
};

export const runInMachine = async (only: string): Promise<void> => {
  const reason = whyNoVm();
  if (reason !== undefined) throw new Error(`no simulated machine here: ${reason}`);
  if (makeImages(['7.3'], MAKE_IMAGES_LIMIT_MILLIS) !== 0) throw new Error('its images failed');
  const programs = [...VM_SPINNING, ...VM_WORKING].filter(({ name }) => name.includes(only));
  const groups = Math.ceil(programs.length / AT_A_TIME);
  const limitMillis = (START_SECONDS + groups * LIMIT_SECONDS) * 1000;
  say(
    await runSpinPrograms({
      programs,
      atATime: AT_A_TIME,
      looks: LOOKS,
      limitSeconds: LIMIT_SECONDS,
      unseenSeconds: UNSEEN_SECONDS,
      limitMillis,
    }),
  );
};
