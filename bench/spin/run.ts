// SPDX-License-Identifier: Apache-2.0
/**
 * The corpus of programs that spin and programs that work, for longer than a test may take: each alone for
 * SPIN_SECONDS (20), examined again and again; with SPIN_MIXED=1 twelve at a time. Prints how often what
 * was called what. `npm run bench:spin`; SPIN_SECONDS=600 is the long one, SPIN_ONLY picks names.
 */
import { LOOK_SECONDS } from '../../receiver/spin/sampling-rate.js';
import { installed, SPINNING, WORKING, type Program } from '../../test/spin/corpus.js';
import { confusionText, judgeProgram, type Judged } from '../../test/spin/judge-corpus.js';

const SECONDS = Number(process.env['SPIN_SECONDS'] ?? 20);
const AT_A_TIME = process.env['SPIN_MIXED'] === '1' ? 12 : 1;
const ONLY = process.env['SPIN_ONLY'] ?? '';
const judgeFor = async (program: Program): Promise<readonly Judged[]> =>
  judgeProgram(program, LOOK_SECONDS, SECONDS);

const programs = installed([...SPINNING, ...WORKING]).filter(({ name }) => name.includes(ONLY));
const judged: Judged[] = [];
for (let from = 0; from < programs.length; from += AT_A_TIME) {
  const batch = programs.slice(from, from + AT_A_TIME);
  judged.push(...(await Promise.all(batch.map(judgeFor))).flat());
}

const isRight = ({ program, verdict }: Judged): boolean =>
  program.kinds.length === 0 ? verdict === 'Working' : program.kinds.includes(verdict);
const isSpinner = ({ program }: Judged): boolean => program.kinds.length > 0;
const isUnsure = ({ verdict }: Judged): boolean => verdict === 'Unknown' || verdict === 'Gone';

const rows = (title: string, holds: (one: Judged) => boolean): string => {
  const counts = new Map<string, number>();
  for (const one of judged.filter(holds)) {
    const text = `  ${one.program.name}: ${one.verdict}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [title, ...[...counts].map(([text, count]) => `${text}, ${String(count)} times`)].join(
    '\n',
  );
};

const share = (of: readonly Judged[], holds: (one: Judged) => boolean): string =>
  `${((100 * of.filter(holds).length) / Math.max(1, of.length)).toFixed(1)} %`;

const spinners = judged.filter(isSpinner);
const workers = judged.filter((one) => !isSpinner(one));
process.stdout.write(
  [
    `${String(programs.length)} programs, ${String(SECONDS)} s each, ${String(AT_A_TIME)} at a time, ${String(judged.length)} examinations`,
    confusionText(judged),
    `spinners found: ${share(spinners, (one) => one.verdict !== 'Working' && !isUnsure(one))}, with their kind: ${share(spinners, isRight)}`,
    `workers called spinning: ${share(workers, (one) => one.verdict !== 'Working' && !isUnsure(one))}`,
    rows('not as expected:', (one) => !isRight(one)),
    '',
  ].join('\n'),
);
