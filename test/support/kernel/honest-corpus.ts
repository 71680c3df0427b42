// SPDX-License-Identifier: Apache-2.0
/** No program of the corpus that works is said to spin. In thirds: one file would take two minutes. */
import { describe, expect, it } from 'vitest';
import { LOOK_SECONDS } from '../../../receiver/spin/sampling-rate.js';
import { installed, quick, WORKING } from '../../spin/corpus.js';
import { confusionText, judgeAll, type Judged } from '../../spin/judge-corpus.js';

const AT_A_TIME = { batch: 16, seconds: LOOK_SECONDS };
const PARTS = 3;
/** A process of a storm ends before it is examined. */
const MAX_UNSURE_RATIO = 0.1;
/** Most of a minute where nobody else is. */
const LIMIT_MILLIS = 240_000;

export const describeHonestCorpus = (part: number): void => {
  describe('examineProcess', () => {
    it(
      `says of no program that works that it spins: part ${String(part + 1)}`,
      async () => {
        const programs = installed(quick(WORKING)).filter((_, at) => at % PARTS === part);
        const judged = await judgeAll(programs, AT_A_TIME);
        console.log(confusionText(judged));
        const unsure = judged.filter(({ verdict }) => verdict === 'Unknown' || verdict === 'Gone');
        const called = judged.filter((one) => one.verdict !== 'Working' && !unsure.includes(one));
        const text = ({ program, verdict, evidence }: Judged): string =>
          `${program.name}: ${verdict}: ${evidence}`;
        console.log(unsure.map(text).join('\n'));
        expect(called.map(text)).toEqual([]);
        expect(unsure.length / judged.length).toBeLessThanOrEqual(MAX_UNSURE_RATIO);
      },
      LIMIT_MILLIS,
    );
  });
};
