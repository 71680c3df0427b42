#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the simhw module and the load generator in the tools root, for the 7.3 kernel. Objects are kept in the
# cache under the hash of their sources, so an unchanged module is not built again.
# shellcheck source=test/vm/images/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

release=$(cat "$VM_CACHE/kernels/7.3.release")
hash=$(cat "$SIMHW_DIR"/*.[ch] "$SIMHW_DIR/Kbuild" "$GUEST_DIR"/*.c | sha256sum | awk '{print $1}')
out=$VM_CACHE/simhw
if is_fresh "$out" "$release $hash"; then
	say 'simhw is there'
	exit 0
fi

# objtool reads the stack limit from /proc: a private mount namespace gives the chroot one that goes by itself.
in_tools() {
	unshare -m sh -c "mount -t proc proc '$VM_CACHE/tools/proc' && exec chroot '$VM_CACHE/tools' \"\$@\"" sh "$@"
}
build() {
	local work=$VM_CACHE/tools/src
	rm -rf --one-file-system "$work"
	mkdir -p "$work"
	cp "$SIMHW_DIR"/*.[ch] "$SIMHW_DIR/Kbuild" "$GUEST_DIR"/*.c "$work/"
	mkdir "$work/simhw"
	mv "$work"/simhw_*.[ch] "$work/Kbuild" "$work/simhw/"
	in_tools make -s -C "/usr/src/linux-headers-$release" M=/src/simhw modules
	in_tools gcc-14 -O2 -Wall -Wextra -Werror -static -pthread -o /src/simload /src/simload.c
	in_tools strip --strip-debug /src/simhw/simhw.ko
	mkdir -p "$out"
	cp "$work/simhw/simhw.ko" "$work/simload" "$out/"
}
step simhw build
mark_fresh "$out" "$release $hash"
