// SPDX-License-Identifier: Apache-2.0
/** A Dockerfile as a list of stages; pure. Knows the instructions that ours has, and refuses others. */

export type Instruction =
  | { readonly _tag: 'Run'; readonly command: string }
  | {
      readonly _tag: 'Copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly target: string;
    }
  | { readonly _tag: 'Workdir'; readonly path: string };

export interface Stage {
  readonly base: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Draft {
  base: string;
  name: string;
  instructions: Instruction[];
  user: string | undefined;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
}

/** Comments away, continued lines in one. */
const logicalLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const jsonWords = (rest: string): readonly string[] => {
  const words: unknown = JSON.parse(rest);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string'))
    throw new Error(`not a list of words: ${rest}`);
  return words;
};

const copyOf = (rest: string): Instruction => {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=') === true ? words.shift()?.slice(7) : undefined;
  const target = words.pop() ?? '';
  return { _tag: 'Copy', from, sources: words, target };
};

const apply = (stage: Draft, word: string, rest: string): void => {
  switch (word) {
    case 'RUN':
      stage.instructions.push({ _tag: 'Run', command: rest });
      break;
    case 'COPY':
      stage.instructions.push(copyOf(rest));
      break;
    case 'WORKDIR':
      stage.instructions.push({ _tag: 'Workdir', path: rest });
      break;
    case 'USER':
      stage.user = rest;
      break;
    case 'ENTRYPOINT':
      stage.entrypoint = jsonWords(rest);
      break;
    case 'CMD':
      stage.command = jsonWords(rest);
      break;
    case 'HEALTHCHECK':
      stage.healthcheck = jsonWords(rest.replace(/^(--\S+\s+)*CMD\s+/, ''));
      break;
    case 'LABEL':
    case 'STOPSIGNAL':
      break;
    default:
      throw new Error(`read Dockerfile: ${word} is not known here`);
  }
};

export const parseDockerfile = (text: string): readonly Stage[] => {
  const stages: Draft[] = [];
  for (const line of logicalLines(text)) {
    const [word = '', ...words] = line.split(/\s+/);
    if (word === 'FROM') {
      const [base = '', , name = String(stages.length)] = words;
      stages.push({
        base,
        name,
        instructions: [],
        user: undefined,
        entrypoint: [],
        command: [],
        healthcheck: [],
      });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`read Dockerfile: ${word} before FROM`);
    apply(stage, word, line.slice(word.length).trim());
  }
  return stages;
};
