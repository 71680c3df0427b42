// SPDX-License-Identifier: Apache-2.0
/**
 * All programs in C of the corpus in the simulated machine, SPIN_AT_A_TIME (18) at a time, with counters of
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

const AT_A_TIME = Number(process.env['SPIN_AT_A_TIME'] ?? 18);
const LOOKS = Number(process.env['SPIN_LOOKS'] ?? 4);
const MAKE_IMAGES_LIMIT_MILLIS = 1_800_000;
const LIMIT_SECONDS = 240;
const LIMIT_MILLIS = 900_000;

const judgedOf = ({ program, looks }: SpinRow): readonly Judged[] =>
  looks.map(({ kind, evidence }) => ({
    program,
    verdict: kind === 'none' ? 'Working' : kind,
    evidence,
  }));

export const runInMachine = async (only: string): Promise<void> => {
  const reason = whyNoVm();
  if (reason !== undefined) throw new Error(`no simulated machine here: ${reason}`);
  if (makeImages(['7.3'], MAKE_IMAGES_LIMIT_MILLIS) !== 0) throw new Error('its images failed');
  const all = [...VM_SPINNING, ...VM_WORKING].filter(({ name }) => name.includes(only));
  const groups = Math.ceil(all.length / AT_A_TIME);
  const rows: SpinRow[] = [];
  for (let group = 0; group < groups; group += 1)
    rows.push(
      ...(await runSpinPrograms({
        programs: all.filter((_, at) => at % groups === group),
        looks: LOOKS,
        limitSeconds: LIMIT_SECONDS,
        limitMillis: LIMIT_MILLIS,
      })),
    );
  const judged = rows.flatMap(judgedOf);
  const isRight = ({ program, verdict }: Judged): boolean =>
    program.kinds.length === 0 ? verdict === 'Working' : program.kinds.includes(verdict);
  const spinners = judged.filter(({ program }) => program.kinds.length > 0);
  const right = spinners.filter(isRight).length / Math.max(1, spinners.length);
  console.log(confusionText(judged));
  console.log(`spinners by their kind: ${(100 * right).toFixed(1)} % of looks`);
  for (const { program, verdict, evidence } of judged.filter((one) => !isRight(one)))
    console.log(`${program.name}: ${verdict}: ${evidence}`);
};
