// SPDX-License-Identifier: Apache-2.0
/** What a rule for one piece of a cgroup path looks like. Rules are tried in order, at each segment. */
import type { ContainerRef, JobRef, PodRef, UnitRef } from '../../model/workload.js';

/** Named groups of the patterns of one rule. */
export type Groups = Readonly<Record<string, string | undefined>>;

/** What one rule adds to what the outer segments said. */
export interface Finding {
  readonly container?: ContainerRef;
  readonly pod?: PodRef;
  readonly job?: JobRef;
  readonly step?: string;
  readonly task?: string;
  readonly unit?: UnitRef;
  readonly slice?: string;
  readonly sliceUid?: number;
  readonly isHelper?: true;
}

/** What the outer segments said. */
export interface Outer {
  /** Segments before this one, outermost first. */
  readonly before: readonly string[];
  readonly jobSystem: string | undefined;
  readonly hasStep: boolean;
  readonly isUserManager: boolean;
}

export interface Rule {
  /** As `explain` prints it. */
  readonly name: string;
  /** One pattern per segment; they must match from this segment on. */
  readonly segments: readonly RegExp[];
  /** Some segment before must match this. */
  readonly after?: RegExp;
  /** Undefined: it does not apply after all. */
  readonly find: (groups: Groups, outer: Outer) => Finding | undefined;
}

/** An id as runtimes make them: 64 hex digits; 12 or more where it was shortened. */
export const HEX_ID = '[0-9a-f]{12,64}';
export const FULL_HEX_ID = '[0-9a-f]{64}';
/** A UUID, in systemd's names with `_` for `-`; static pods have 32 hex digits without any. */
export const UUID =
  '[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32}';

export const container = (
  runtime: string | undefined,
  id: string | undefined,
  name?: string,
): Finding => (id === undefined ? {} : { container: { id, runtime, name } });

const MAX_UID_DIGITS = 10;

/** A uid in decimal digits; undefined for anything else. */
export const uidOf = (text: string | undefined): number | undefined =>
  text !== undefined && text.length <= MAX_UID_DIGITS && /^\d+$/.test(text)
    ? Number(text)
    : undefined;
