#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cost of a look at the power feed. Needs root. Arguments: [rounds] [round trips per step].
set -euo pipefail
cd "$(dirname "$0")"
make --no-print-directory >&2
exec build/bench "$@"
