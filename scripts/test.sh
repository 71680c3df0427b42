#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `npm test`: set-up, then every suite that this machine can run. WATTFEED_SUITES=unit,kernel picks.
# The last line is always `N passed, N failed, N skipped`, also when the set-up itself fails.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0
bash scripts/setup.sh --for test "$@" || status=$?
if [ "$status" -ne 0 ]; then
  echo '0 passed, 1 failed, 0 skipped'
  exit "$status"
fi

# shellcheck source=scripts/lib/log.sh
. scripts/lib/log.sh
# shellcheck source=scripts/lib/system.sh
. scripts/lib/system.sh
# shellcheck source=scripts/lib/node.sh
. scripts/lib/node.sh
PATH="$(find_node_dir):$PATH"
BPFTOOL=$(find_bpftool || true)
export PATH BPFTOOL
exec node --import tsx scripts/run-suites.ts
