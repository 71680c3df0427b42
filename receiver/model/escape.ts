// SPDX-License-Identifier: Apache-2.0
/**
 * Names that came from outside (comm, cgroup paths, users) made safe to print and to export: valid
 * UTF-8 without control characters. Whoever names a process may otherwise clear a terminal, forge a
 * line of a log or break a protobuf string.
 *
 * A backslash stays as it is: systemd's cgroup names are full of `\x2d`, and whoever looks one up
 * must find it. So the escape is for reading, not for turning back into bytes.
 */
const HEX_DIGITS = 16;
const ASCII_END = 0x80;

/** Control, format (bidi overrides, zero width), line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const hexEscape = (byte: number): string =>
  `\\x${byte.toString(HEX_DIGITS).toUpperCase().padStart(2, '0')}`;

const escapeAll = (bytes: Uint8Array, from: number, to: number): string => {
  let text = '';
  for (let at = from; at < to; at++) text += hexEscape(bytes[at] ?? 0);
  return text;
};

/** Bytes of the sequence that a lead byte announces; 0 if it cannot lead one. */
const sequenceLength = (lead: number): number => {
  if (lead < ASCII_END) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
};

/** Shortest code point per sequence length: anything below is an overlong form. */
const SHORTEST = [0, 0, 0x80, 0x800, 0x10000];

/** The code point at `at`, or -1 if the bytes are no valid UTF-8 there (RFC 3629). */
const codePointAt = (bytes: Uint8Array, at: number, end: number): number => {
  const lead = bytes[at] ?? 0;
  const length = sequenceLength(lead);
  if (length === 0 || at + length > end) return -1;
  if (length === 1) return lead;
  let codePoint = lead & (0x7f >> length);
  for (let next = 1; next < length; next++) {
    const byte = bytes[at + next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return -1;
    codePoint = (codePoint << 6) | (byte & 0x3f);
  }
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (isSurrogate || codePoint > 0x10ffff || codePoint < (SHORTEST[length] ?? 0)) return -1;
  return codePoint;
};

/** Longest run that is turned into text at once: arguments of one call. */
const RUN_BYTES = 4_096;

const isPlainAscii = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) return false;
  }
  return to - from <= RUN_BYTES;
};

/** Bytes [from, to) for display: what cannot be printed becomes `\xNN`, byte by byte. Never throws. */
export const escapeBytes = (bytes: Uint8Array, from = 0, to = bytes.length): string => {
  // Nearly every name there is.
  if (isPlainAscii(bytes, from, to)) return String.fromCharCode(...bytes.subarray(from, to));
  let text = '';
  let at = from;
  while (at < to) {
    const codePoint = codePointAt(bytes, at, to);
    if (codePoint < 0) {
      text += hexEscape(bytes[at] ?? 0);
      at += 1;
      continue;
    }
    const length = sequenceLength(bytes[at] ?? 0);
    const character = String.fromCodePoint(codePoint);
    text += UNPRINTABLE.test(character) ? escapeAll(bytes, at, at + length) : character;
    at += length;
  }
  return text;
};

const LONE_SURROGATE = /\p{Cs}/u;

/** The same for text that is already a string; lone surrogates become U+FFFD. */
export const escapeText = (text: string): string =>
  UNPRINTABLE.test(text) || LONE_SURROGATE.test(text)
    ? escapeBytes(new TextEncoder().encode(text))
    : text;
