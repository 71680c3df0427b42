// SPDX-License-Identifier: Apache-2.0
/**
 * Whom a budget means. Pure. A cgroup is matched by its path, or by its own directory name: a unit is
 * `NAME.service|scope|slice`, a container's directory ends in its id (`docker-ID.scope`,
 * `cri-containerd-ID.scope`, plain `ID`).
 */
import type { BudgetMatch } from './policy.js';

/** Shorter prefixes of a container id could mean anybody. */
const CONTAINER_PREFIX_LENGTH = 12;
const CONTAINER_ID = /(?:^|[-:])([0-9a-f]{32,64})(?:\.scope)?$/;

const lastName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const trimmed = (path: string): string => (path === '/' ? '/' : path.replace(/\/+$/, ''));

export const matches = (match: BudgetMatch, path: string): boolean => {
  const name = lastName(path);
  switch (match._tag) {
    case 'Path':
      return trimmed(match.path) === trimmed(path);
    case 'Unit':
      return name === match.unit;
    case 'Name':
      return name === match.name;
    case 'Container': {
      const id = CONTAINER_ID.exec(name)?.[1];
      return (
        id !== undefined && match.id.length >= CONTAINER_PREFIX_LENGTH && id.startsWith(match.id)
      );
    }
  }
};

/** The first line that means this cgroup. */
export const firstMatch = <T extends { readonly match: BudgetMatch }>(
  lines: readonly T[],
  path: string,
): T | undefined => lines.find(({ match }) => matches(match, path));
