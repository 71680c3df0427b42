// SPDX-License-Identifier: Apache-2.0
/** The long run's tests: four files, for none may take more than 90 s. */
import { describe, expect, it } from 'vitest';
import { confusionText, type Judged } from '../../spin/judge-corpus.js';
import { judgeLong, longPrograms } from '../../spin/long-run.js';

const PROGRAMS = 6;
/** 20 s each by twos; the rest is starting, and others on the machine. */
const LIMIT_MILLIS = 240_000;

const textOf = ({ program, verdict, evidence }: Judged): string =>
  `${program.name}: ${verdict}: ${evidence}`;

export const describeLongRun = (quarter: number): void => {
  describe('examineProcess, again and again for 20 s', () => {
    it(
      'says of no program that works that it spins',
      async () => {
        const programs = longPrograms(quarter);
        expect(programs.map(({ name }) => name)).toHaveLength(PROGRAMS);
        const judged = await judgeLong(programs);
        console.log(`${String(judged.length)} looks\n${confusionText(judged)}`);
        const called = judged.filter(({ verdict }) => !/^(Working|Unknown|Gone)$/.test(verdict));
        expect(called.map(textOf)).toEqual([]);
        for (const { name } of programs) {
          const looks = judged.filter(({ program }) => program.name === name);
          const working = looks.filter(({ verdict }) => verdict === 'Working');
          // Of storms most processes end before there is anything to say.
          expect(looks.length, name).toBeGreaterThan(1);
          if (!/storm|compiler/.test(name)) expect(working.length, name).toBeGreaterThan(0);
        }
      },
      LIMIT_MILLIS,
    );
  });
};
