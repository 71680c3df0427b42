// SPDX-License-Identifier: Apache-2.0
/**
 * OTEL_EXPORTER_OTLP_HEADERS: `key=value,key=value`, percent-encoded; pure. The SDK drops what it cannot
 * read without a word, and gRPC throws at what it cannot send. Values are secrets: no text here has one.
 */

export interface HeaderProblem {
  /** 1 is the first pair. */
  readonly place: number;
  readonly cause: string;
  /** gRPC would refuse it: nothing could be exported at all. */
  readonly isFatal: boolean;
}

/** gRPC compares keys in lower case, and makes them so. */
const LEGAL_KEY = /^[0-9a-z_.-]+$/i;
const LEGAL_VALUE = /^[ -~]*$/;
/** gRPC's binary headers need bytes; a variable has only text. */
const BINARY_KEY = /-bin$/i;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
};

const problemOf = (pair: string): Omit<HeaderProblem, 'place'> | undefined => {
  // What follows a semicolon is baggage metadata to the SDK, and no part of the value.
  const [text = ''] = pair.split(';', 1);
  const at = text.indexOf('=');
  if (at === -1) return { cause: 'has no =', isFatal: false };
  const key = decoded(text.slice(0, at));
  const value = decoded(text.slice(at + 1));
  if (key === undefined || value === undefined)
    return { cause: 'is not percent-encoded', isFatal: false };
  if (key === '') return { cause: 'has no key', isFatal: false };
  if (value === '') return { cause: 'has no value', isFatal: false };
  if (!LEGAL_KEY.test(key))
    return { cause: 'has a key with other characters than a-z, 0-9, _, . and -', isFatal: true };
  if (BINARY_KEY.test(key)) return { cause: 'has a key that ends in -bin', isFatal: true };
  return LEGAL_VALUE.test(value)
    ? undefined
    : { cause: 'has a value with characters that are not printable ASCII', isFatal: true };
};

export const headerProblems = (text: string): readonly HeaderProblem[] =>
  text.split(',').flatMap((pair, index) => {
    const problem = pair.trim() === '' ? undefined : problemOf(pair);
    return problem === undefined ? [] : [{ place: index + 1, ...problem }];
  });
