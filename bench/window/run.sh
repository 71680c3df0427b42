#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Cost of a window against a /proc poller. Needs root and the built addon. Arguments: [windows].
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
make --no-print-directory >&2
exec node --import tsx run.ts "$@"
