// SPDX-License-Identifier: Apache-2.0
/** The programs of the corpus that wait awake are found, as what they are. In halves: a file has 90 s. */
import { describe, expect, it } from 'vitest';
import { installed, quick, SPINNING } from '../../spin/corpus.js';
import { LOOK_SECONDS } from '../../../receiver/spin/sampling-rate.js';
import { confusionText, judgeAll, type Judged } from '../../spin/judge-corpus.js';

/** More at a time than CPUs: competition must hide nothing. */
const AT_A_TIME = { batch: 16, seconds: LOOK_SECONDS };
/** A spinner is to be found within 10 s, and an agent looks again and again in them. */
const LOOKS = 3;
const HALVES = 2;
const MIN_RIGHT_RATIO = 0.95;
/** Two of a half: where the host is crowded, three looks may meet the few places that look like work. */
const MAX_MISSED_RATIO = 0.03;
/** A minute where nobody else is. */
const LIMIT_MILLIS = 240_000;

const isMissed = ({ verdict }: Judged): boolean => /^(Working|Unknown|Gone)$/.test(verdict);

export const describeSpinningCorpus = (half: number): void => {
  describe('examineProcess', () => {
    it(
      `finds programs that wait awake, and says how: half ${String(half + 1)}`,
      async () => {
        const programs = installed(quick(SPINNING)).filter((_, at) => at % HALVES === half);
        let judged = await judgeAll(programs, AT_A_TIME);
        for (let look = 2; look <= LOOKS && judged.some(isMissed); look += 1) {
          const again = await judgeAll(
            judged.filter(isMissed).map(({ program }) => program),
            AT_A_TIME,
          );
          judged = [...judged.filter((one) => !isMissed(one)), ...again];
        }
        console.log(confusionText(judged));
        const missed = judged.filter(isMissed);
        const text = ({ program, verdict, evidence }: Judged): string =>
          `${program.name}: ${verdict}: ${evidence}`;
        const missedText = missed.map(text).join('\n');
        console.log(missedText);
        expect(missed.length / judged.length, missedText).toBeLessThanOrEqual(MAX_MISSED_RATIO);
        const wrong = judged.filter(({ program, verdict }) => !program.kinds.includes(verdict));
        console.log(wrong.map(text).join('\n'));
        expect(1 - wrong.length / judged.length).toBeGreaterThanOrEqual(MIN_RIGHT_RATIO);
      },
      LIMIT_MILLIS,
    );
  });
};
