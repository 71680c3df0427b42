// SPDX-License-Identifier: Apache-2.0
/** OTEL_RESOURCE_ATTRIBUTES: `key=value,key=value`, percent-encoded; pure. */
import * as E from 'fp-ts/lib/Either.js';

const MAX_LENGTH = 255;

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** One malformed pair discards all, as the specification says. The Left says why, without the value. */
export const parseResourceAttributes = (
  text: string,
): E.Either<string, Readonly<Record<string, string>>> => {
  const attributes: Record<string, string> = {};
  for (const [index, pair] of text.split(',').entries()) {
    if (pair.trim() === '') continue;
    const place = `pair ${index + 1}`;
    const at = pair.indexOf('=');
    if (at === -1) return E.left(`${place} has no =`);
    const key = decoded(pair.slice(0, at).trim());
    const value = decoded(pair.slice(at + 1).trim());
    if (key === undefined || value === undefined) {
      return E.left(`${place} is not percent-encoded`);
    }
    if (key === '') return E.left(`${place} has no key`);
    if (key.length > MAX_LENGTH || value.length > MAX_LENGTH) {
      return E.left(`${place} is longer than ${MAX_LENGTH} characters`);
    }
    attributes[key] = value;
  }
  return E.right(attributes);
};
