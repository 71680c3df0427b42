#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# all.sh [KERNEL...]: everything that `npm run vm` needs, from nothing or from what is already there.
# shellcheck source=test/vm/images/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

exec 9>"$VM_CACHE/images.lock"
flock -w 1800 9 || die 'another run has been making images for 30 minutes'
[ $# -gt 0 ] || set -- 7.3
"$IMAGES_DIR/roots.sh"
"$IMAGES_DIR/node.sh"
"$IMAGES_DIR/kernel.sh" "$@"
"$IMAGES_DIR/simhw.sh"
