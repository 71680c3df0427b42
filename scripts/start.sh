#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `npm start [-- [--yes] [--dry-run] [COMMAND] [ARGS]]`: set-up, then `wattfeed COMMAND ARGS`, where
# COMMAND is `top` unless the first word is another one.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
setup_args=()
while [ "${1:-}" = --yes ] || [ "${1:-}" = --dry-run ]; do
  setup_args+=("$1")
  shift
done
bash scripts/setup.sh --for start "${setup_args[@]}"
[[ " ${setup_args[*]} " != *' --dry-run '* ]] || exit 0

# shellcheck source=scripts/lib/log.sh
. scripts/lib/log.sh
# shellcheck source=scripts/lib/node.sh
. scripts/lib/node.sh
node_dir=$(find_node_dir)
case "${1:-}" in
  --version | -V | --help | -h) ;;
  '' | -*) set -- top "$@" ;;
esac
# By its own first line, which has the flags of Node that it wants.
PATH="$node_dir:$PATH" exec dist/receiver/main.js "$@"
