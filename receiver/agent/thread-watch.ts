// SPDX-License-Identifier: Apache-2.0
/** Which processes' threads viewers want to see: unless exported, the ledger keeps threads only while they do. */
export interface ThreadWatch {
  /** Until the returned function is called. */
  readonly watch: (pid: number) => () => void;
  readonly watched: () => ReadonlySet<number>;
}

export const createThreadWatch = (setEnabled: (isEnabled: boolean) => void): ThreadWatch => {
  const counts = new Map<number, number>();
  return {
    watch: (pid) => {
      if (counts.size === 0) setEnabled(true);
      counts.set(pid, (counts.get(pid) ?? 0) + 1);
      let isWatching = true;
      return () => {
        if (!isWatching) return;
        isWatching = false;
        const rest = (counts.get(pid) ?? 1) - 1;
        if (rest > 0) counts.set(pid, rest);
        else counts.delete(pid);
        if (counts.size === 0) setEnabled(false);
      };
    },
    watched: () => new Set(counts.keys()),
  };
};
