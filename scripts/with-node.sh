#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# with-node.sh COMMAND [ARGS]: set-up, then the command with a Node that is new enough first in PATH.
# For what is run now and then by hand: benches, the soak, the simulated machine.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash scripts/setup.sh --for test

# shellcheck source=scripts/lib/log.sh
. scripts/lib/log.sh
# shellcheck source=scripts/lib/node.sh
. scripts/lib/node.sh
PATH="$(find_node_dir):$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
