// SPDX-License-Identifier: Apache-2.0
import * as E from 'fp-ts/lib/Either.js';
import { readText } from '../host/files.js';
import { NANOS_PER_SECOND } from '../model/units.js';
import type { Nanos } from '../model/units.js';

/** USER_HZ: the unit of /proc, 100 on every architecture we build for, whatever HZ is. */
const TICK_NANOS = BigInt(NANOS_PER_SECOND) / 100n;
/** Field 22 counts from 1; fields 1 and 2 end with the last closing parenthesis. */
const START_FIELD_AFTER_COMM = 22 - 3;

/** Start in ticks from the text of /proc/PID/stat; the command name may hold anything. */
export const startTicksOf = (stat: string): bigint | undefined => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields[START_FIELD_AFTER_COMM];
  return ticks !== undefined && /^\d+$/.test(ticks) ? BigInt(ticks) : undefined;
};

/** True unless /proc says that the process is gone or that its pid is another's now. */
export const processAlive =
  (procfsRoot: string) =>
  (pid: number, startBoottimeNanos: Nanos): boolean => {
    const stat = readText(`${procfsRoot}/${String(pid)}/stat`);
    if (E.isLeft(stat)) return stat.left.code !== 'ENOENT' && stat.left.code !== 'ESRCH';
    const ticks = startTicksOf(stat.right);
    return ticks === undefined || ticks === startBoottimeNanos / TICK_NANOS;
  };
