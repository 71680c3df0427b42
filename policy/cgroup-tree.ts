// SPDX-License-Identifier: Apache-2.0
/** Cgroups by path: sums of whole subtrees, and what a cgroup inherits from those above it. Pure. */

/** `/a/b` -> `/a` -> `/` -> undefined. */
export const parentPath = (path: string): string | undefined => {
  if (path === '/' || !path.startsWith('/')) return undefined;
  const cut = path.lastIndexOf('/');
  return cut <= 0 ? '/' : path.slice(0, cut);
};

/** Paths from this one up to the root, itself first. */
export const pathsUpwards = (path: string): readonly string[] => {
  const parent = parentPath(path);
  return parent === undefined ? [path] : [path, ...pathsUpwards(parent)];
};

/** Per path, the sum of `valueOf` over it and everything below it. */
export const subtreeSums = <T extends { readonly path: string }>(
  rows: readonly T[],
  valueOf: (row: T) => number,
): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const row of rows) {
    const value = valueOf(row);
    for (const path of pathsUpwards(row.path)) sums.set(path, (sums.get(path) ?? 0) + value);
  }
  return sums;
};

/** The nearest of those at or above `path` for which `of` knows something. */
export const nearest = <T>(path: string, of: (path: string) => T | undefined): T | undefined => {
  for (const at of pathsUpwards(path)) {
    const found = of(at);
    if (found !== undefined) return found;
  }
  return undefined;
};
