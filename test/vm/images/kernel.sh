#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernel.sh VERSION...: Debian's cloud kernel of that version with its modules, and an initramfs that mounts the
# guest root over virtiofs (built in on 7.3, modules on the older ones).
# shellcheck source=test/vm/images/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"
apt_view

# What must be loaded before the root can be mounted, in order; absent = built in.
BOOT_MODULES=(virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci fuse virtiofs)

unpack_kernel() {
	local version=$1 release=$2 dir=$3 suite package
	suite=${KERNEL_SUITE[$version]}
	rm -rf --one-file-system "$dir.part"
	mkdir -p "$dir.part/tree"
	for package in "linux-image-$release" "linux-binary-$release" "linux-modules-$release"; do
		apt-cache "${APT_VIEW[@]}" show "$package" >/dev/null 2>&1 || continue
		fetch_deb "$package/$suite"
		dpkg-deb -x "$(find "$VM_CACHE/debs" -name "${package}_*.deb" | sort | tail -n 1)" "$dir.part/tree"
	done
	find "$dir.part/tree" -name 'vmlinuz*' -type f -exec cp {} "$dir.part/vmlinuz" \;
	cp "$(find "$dir.part/tree" -name "config-$release" -o -path "*$release/config" | head -n 1)" "$dir.part/config" || true
	make_initramfs "$dir.part" "$release"
	rm -rf --one-file-system "$dir.part/tree"
	rm -rf --one-file-system "$dir"
	mv "$dir.part" "$dir"
}

make_initramfs() {
	local dir=$1 release=$2 tree module file
	tree=$(mktemp -d "$VM_CACHE/initramfs.XXXXXX")
	mkdir -p "$tree"/{bin,dev,proc,sys,root,modules}
	cp "$VM_CACHE/tools/usr/bin/busybox" "$tree/bin/busybox"
	for module in "${BOOT_MODULES[@]}"; do
		file=$(find "$dir/tree" -path '*/kernel/*' \( -name "$module.ko" -o -name "$module.ko.xz" -o -name "$module.ko.zst" \) | head -n 1)
		[ -n "$file" ] || continue
		case $file in
		*.xz) xz -dc "$file" >"$tree/modules/$module.ko" ;;
		*.zst) zstd -qdc "$file" >"$tree/modules/$module.ko" ;;
		*) cp "$file" "$tree/modules/$module.ko" ;;
		esac
		echo "$module" >>"$tree/modules/order"
	done
	touch "$tree/modules/order"
	install -m 755 "$GUEST_DIR/initramfs-init" "$tree/init"
	(cd "$tree" && find . | "$VM_CACHE/tools/usr/bin/busybox" cpio -o -H newc 2>/dev/null) >"$dir/initramfs.cpio"
	rm -rf --one-file-system "$tree"
	[ -s "$dir/vmlinuz" ] || die "no vmlinuz in the packages of $release"
}

[ $# -gt 0 ] || set -- 7.3
for version in "$@"; do
	[ -n "${KERNEL_SUITE[$version]:-}" ] || die "kernel $version is not one of: ${!KERNEL_SUITE[*]}"
	release=$(versioned linux-image-cloud-amd64 "${KERNEL_SUITE[$version]}")
	release=${release#linux-image-}
	if [ "$version" = 7.3 ] && [ -s "$VM_CACHE/kernels/7.3.release" ]; then
		release=$(cat "$VM_CACHE/kernels/7.3.release") # the one whose headers are in the tools root
	fi
	dir=$VM_CACHE/kernels/$version
	key="$release $(sha256sum "$GUEST_DIR/initramfs-init" "$0" | awk '{print $1}' | tr '\n' ' ')"
	if is_fresh "$dir" "$key"; then
		say "kernel $version ($release) is there"
		continue
	fi
	step "kernel-$version" unpack_kernel "$version" "$release" "$dir"
	printf '%s\n' "$release" >"$dir/release"
	mark_fresh "$dir" "$key"
done
