#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The runs that are too long for every test run: ten minutes of mixed load with faults injected, a Collector that
# is away for a minute, in both temporalities, and two minutes of mixed load on the simulated machine. About 20
# minutes.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export WATTFEED_CONSERVATION_SECONDS=${WATTFEED_CONSERVATION_SECONDS:-600}
export WATTFEED_OUTAGE_SECONDS=${WATTFEED_OUTAGE_SECONDS:-60}
vitest run --project e2e test/e2e/agent/conservation.test.ts
vitest run --project collector test/e2e/collector/outage.test.ts
bash test/vm/images/all.sh 7.3
WATTFEED_VM_MIX_SECONDS=${WATTFEED_VM_MIX_SECONDS:-120} vitest run --project vm test/vm/hardware.test.ts
