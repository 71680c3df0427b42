// SPDX-License-Identifier: Apache-2.0
/** Login names from a passwd file. What is not in it (LDAP, container users) stays a number. */
import { readFileSync, statSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import type { Clock } from '../host/clock.js';
import { escapeBytes } from '../model/escape.js';
import { NANOS_PER_SECOND } from '../model/units.js';

/** The file is looked at again for an unknown uid, but no more often than this. */
const RECHECK_NANOS = 10n * BigInt(NANOS_PER_SECOND);
const COLON = 0x3a;
const LINE_FEED = 0x0a;
const UID = /^\d{1,10}$/;

/** uid -> name; the first line of a uid counts, as for getpwuid(). Names are escaped. */
export const parsePasswd = (file: Uint8Array): ReadonlyMap<number, string> => {
  const names = new Map<number, string>();
  for (let start = 0; start < file.length;) {
    const lineFeed = file.indexOf(LINE_FEED, start);
    const end = lineFeed === -1 ? file.length : lineFeed;
    const line = file.subarray(start, end);
    start = end + 1;
    const nameEnd = line.indexOf(COLON);
    const uidStart = line.indexOf(COLON, nameEnd + 1) + 1;
    const uidEnd = line.indexOf(COLON, uidStart);
    if (nameEnd <= 0 || uidStart <= 0 || uidEnd === -1) continue;
    const uidText = escapeBytes(line, uidStart, uidEnd);
    const uid = Number(uidText);
    if (UID.test(uidText) && !names.has(uid)) names.set(uid, escapeBytes(line, 0, nameEnd));
  }
  return names;
};

/** Changes when the file does; undefined if there is none. */
const versionOf = (path: string): string | undefined =>
  E.getOrElse<unknown, string | undefined>(() => undefined)(
    E.tryCatch(
      () => {
        const { ino, mtimeMs, size } = statSync(path);
        return `${String(ino)} ${String(mtimeMs)} ${String(size)}`;
      },
      (error) => error,
    ),
  );

export class UserNames {
  private names: ReadonlyMap<number, string> = new Map();
  private version: string | undefined;
  private checkedNanos: bigint | undefined;

  /** `path`: the host's /etc/passwd, under the root where the host is mounted. */
  public constructor(
    private readonly path: string,
    private readonly clock: Clock,
  ) {}

  public nameOf(uid: number): string {
    const known = this.names.get(uid);
    if (known !== undefined) return known;
    this.recheck();
    return this.names.get(uid) ?? String(uid);
  }

  private recheck(): void {
    const now = this.clock.monotonicNanos();
    if (this.checkedNanos !== undefined && now - this.checkedNanos < RECHECK_NANOS) return;
    this.checkedNanos = now;
    const version = versionOf(this.path);
    if (version === undefined || version === this.version) return;
    const file = E.tryCatch(
      () => readFileSync(this.path),
      (error) => error,
    );
    if (E.isLeft(file)) return;
    this.version = version;
    this.names = parsePasswd(file.right);
  }
}
