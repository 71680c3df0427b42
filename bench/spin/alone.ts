// SPDX-License-Identifier: Apache-2.0
/** The corpus one program after the other, or twelve at a time, each examined again and again. */
import { LOOK_SECONDS } from '../../receiver/spin/sampling-rate.js';
import { installed, SPINNING, WORKING, type Program } from '../../test/spin/corpus.js';
import { confusionText, judgeProgram, type Judged } from '../../test/spin/judge-corpus.js';

const SECONDS = Number(process.env['SPIN_SECONDS'] ?? 20);
const AT_A_TIME = process.env['SPIN_MIXED'] === '1' ? 12 : 1;

const judgeFor = async (program: Program): Promise<readonly Judged[]> =>
  judgeProgram(program, LOOK_SECONDS, SECONDS);

const isRight = ({ program, verdict }: Judged): boolean =>
  program.kinds.length === 0 ? verdict === 'Working' : program.kinds.includes(verdict);
const isSpinner = ({ program }: Judged): boolean => program.kinds.length > 0;
const isUnsure = ({ verdict }: Judged): boolean => verdict === 'Unknown' || verdict === 'Gone';
const isCalled = (one: Judged): boolean => one.verdict !== 'Working' && !isUnsure(one);

const share = (of: readonly Judged[], holds: (one: Judged) => boolean): string =>
  `${((100 * of.filter(holds).length) / Math.max(1, of.length)).toFixed(1)} %`;

const unexpected = (judged: readonly Judged[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const one of judged.filter((each) => !isRight(each))) {
    const text = `  ${one.program.name}: ${one.verdict}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${text}, ${String(count)} times`);
};

/** `only`: a part of the names. */
export const runAlone = async (only: string): Promise<void> => {
  const programs = installed([...SPINNING, ...WORKING]).filter(({ name }) => name.includes(only));
  const judged: Judged[] = [];
  for (let from = 0; from < programs.length; from += AT_A_TIME) {
    const batch = programs.slice(from, from + AT_A_TIME);
    judged.push(...(await Promise.all(batch.map(judgeFor))).flat());
  }
  const spinners = judged.filter(isSpinner);
  const workers = judged.filter((one) => !isSpinner(one));
  process.stdout.write(
    [
      `${String(programs.length)} programs, ${String(SECONDS)} s each, ${String(AT_A_TIME)} at a time, ${String(judged.length)} examinations`,
      confusionText(judged),
      `spinners found: ${share(spinners, isCalled)}, with their kind: ${share(spinners, isRight)}`,
      `workers called spinning: ${share(workers, isCalled)}`,
      'not as expected:',
      ...unexpected(judged),
      '',
    ].join('\n'),
  );
};
