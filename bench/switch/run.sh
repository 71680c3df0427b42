#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cost of the accounting per context switch. Needs root. Arguments: [rounds] [round trips per step]
# [seconds per step left alone].
set -euo pipefail
cd "$(dirname "$0")"
make --no-print-directory >&2
exec build/bench "$@"
