// SPDX-License-Identifier: Apache-2.0
/**
 * Invented values for the feed, one thing per line: `pid:1234 power_mw=3000`. Pure.
 *
 *   pid:PID, tid:TID   power_mw, class, spin_permille
 *   cgroup:ID          power_mw, budget_mw, over_permille, burst_ms, class, headroom_budget_mw, over=1, soft=1, batch=1
 *   package:N          power_mw, limit_mw
 *   state              reference_power_mw
 */
import * as E from 'fp-ts/lib/Either.js';
import type { Complaint } from '../model/errors.js';

export interface SetLine {
  readonly kind: 'pid' | 'tid' | 'cgroup' | 'package' | 'state';
  readonly id: string;
  readonly values: ReadonlyMap<string, number>;
}

const KEYS: Readonly<Record<SetLine['kind'], readonly string[]>> = {
  pid: ['power_mw', 'class', 'spin_permille'],
  tid: ['power_mw', 'class', 'spin_permille'],
  cgroup: [
    ...['power_mw', 'budget_mw', 'over_permille', 'burst_ms', 'class', 'headroom_budget_mw'],
    ...['over', 'soft', 'batch'],
  ],
  package: ['power_mw', 'limit_mw'],
  state: ['reference_power_mw'],
};
const MOST = 0xffffffff;

const complaint = (line: string, cause: string): E.Either<Complaint, never> =>
  E.left({
    what: `set "${line}"`,
    cause,
    remedy: 'write "pid:1234 power_mw=3000", or see wattfeed feed --help',
    isUsage: true,
  });

const isKind = (text: string): text is SetLine['kind'] => Object.hasOwn(KEYS, text);

export const parseSetLine = (line: string): E.Either<Complaint, SetLine> => {
  const [target = '', ...pairs] = line.trim().split(/\s+/);
  const cut = target.indexOf(':');
  const kind = cut < 0 ? target : target.slice(0, cut);
  const id = cut < 0 ? '' : target.slice(cut + 1);
  if (!isKind(kind)) return complaint(line, `${kind} is none of ${Object.keys(KEYS).join(', ')}`);
  if (kind !== 'state' && !/^\d{1,20}$/.test(id)) return complaint(line, `${kind}: needs a number`);
  if (pairs.length === 0) return complaint(line, 'no value is given');
  const values = new Map<string, number>();
  for (const pair of pairs) {
    const [key = '', text = ''] = pair.split('=', 2);
    const value = Number(text);
    if (!KEYS[kind].includes(key))
      return complaint(line, `${key} is none of ${KEYS[kind].join(', ')}`);
    if (text === '' || !Number.isFinite(value) || value < 0 || value > MOST)
      return complaint(line, `${key} needs a number from 0 to ${MOST}`);
    values.set(key, value);
  }
  return E.right({ kind, id, values });
};

/** A step of a file: what is set from that moment on. */
export interface SetStep {
  readonly atSeconds: number;
  readonly lines: readonly SetLine[];
}

/** Lines as above; `@2.5` begins what is set from 2.5 s on; `#` a comment. */
export const parseSetFile = (text: string): E.Either<Complaint, readonly SetStep[]> => {
  const steps: { atSeconds: number; lines: SetLine[] }[] = [{ atSeconds: 0, lines: [] }];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('@')) {
      const atSeconds = Number(line.slice(1));
      const last = steps.at(-1)?.atSeconds ?? 0;
      if (!(atSeconds >= last)) return complaint(line, 'needs seconds, not before the step above');
      steps.push({ atSeconds, lines: [] });
      continue;
    }
    const parsed = parseSetLine(line);
    if (E.isLeft(parsed)) return parsed;
    steps.at(-1)?.lines.push(parsed.right);
  }
  return E.right(steps);
};
