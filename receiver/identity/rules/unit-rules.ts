// SPDX-License-Identifier: Apache-2.0
/** systemd's slices and units, the system's and the users'. */
import { uidOf, type Rule } from './rule.js';

export const UNIT_RULES: readonly Rule[] = [
  {
    name: 'systemd-user-slice',
    segments: [/^(?<slice>user-(?<uid>\d+)\.slice)$/],
    find: ({ slice, uid }) => {
      const sliceUid = uidOf(uid);
      if (slice === undefined) return undefined;
      return sliceUid === undefined ? { slice } : { slice, sliceUid };
    },
  },
  {
    name: 'systemd-slice',
    segments: [/^(?<slice>.+\.slice)$/],
    find: ({ slice }) => (slice === undefined ? undefined : { slice }),
  },
  {
    name: 'systemd-unit',
    segments: [/^(?<unit>.+\.(?:service|scope|socket|mount|swap))$/],
    find: ({ unit }, { isUserManager }) =>
      unit === undefined
        ? undefined
        : { unit: { name: unit, manager: isUserManager ? 'user' : 'system' } },
  },
];
