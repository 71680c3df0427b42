// SPDX-License-Identifier: Apache-2.0
/** Users and command names as workloads: they have no end, and begin with the ledger. */
import type { Rated, RatedLedgerView, WorkloadTotals } from '../model/ledger-view.js';

type Source = Pick<RatedLedgerView, 'names' | 'users' | 'startUnixMillis'>;

export function* personTotals(
  level: 'user' | 'name',
  ledger: Source,
): Generator<Rated<WorkloadTotals>, void> {
  const common = { seriesStartUnixMillis: ledger.startUnixMillis, isExited: false };
  if (level === 'user') {
    for (const { uid, user, ...sums } of ledger.users()) {
      yield { ...sums, ...common, key: String(uid), facts: { _tag: 'user', uid, user } };
    }
    return;
  }
  for (const { name, ...sums } of ledger.names()) {
    yield { ...sums, ...common, key: name, facts: { _tag: 'name', name } };
  }
}
