// SPDX-License-Identifier: Apache-2.0
/**
 * A command line without what looks like a secret; pure. It errs on the side of hiding: the value of any
 * argument or variable whose name speaks of one, passwords in URLs, and long random-looking words.
 */
const HIDDEN = '***';

/** In an option's or a variable's name. */
const SECRETIVE =
  /pass(?:w(?:or)?d|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth|bearer|cookie|session/i;
const OPTION = /^-{1,2}[\w.-]+$/;
const ASSIGNMENT = /^(-{0,2}[\w.-]+)=(.*)$/s;
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi;
/** Keys and hashes: 24 or more letters and digits in a row, both kinds among them. */
const RANDOM = /\b(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{24,512}\b/g;

const redactWord = (word: string): string =>
  word.replace(URL_CREDENTIALS, `$1${HIDDEN}@`).replace(RANDOM, HIDDEN);

export const redactArguments = (args: readonly string[]): readonly string[] => {
  let isValueNext = false;
  return args.map((word) => {
    if (isValueNext && !OPTION.test(word)) {
      isValueNext = false;
      return HIDDEN;
    }
    const [, name = '', value = ''] = ASSIGNMENT.exec(word) ?? [];
    isValueNext = name === '' && OPTION.test(word) && SECRETIVE.test(word);
    if (name === '') return redactWord(word);
    return `${name}=${SECRETIVE.test(name) ? HIDDEN : redactWord(value)}`;
  });
};
