#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two Debian roots in the cache: `tools` (QEMU 10, virtiofsd, gcc-14 and the kernel headers that simhw needs,
# because no older compiler knows the options of that kernel) and `guest`, the root of the simulated machine.
# shellcheck source=test/vm/images/common.sh
. "$(dirname "$(readlink -f "$0")")/common.sh"

[ "$(id -u)" = 0 ] || die 'making a root needs root'
apt_view

TOOLS_PACKAGES=gcc-14,make,libc6-dev,kmod,qemu-system-x86,qemu-system-data,seabios,ipxe-qemu,virtiofsd,busybox-static,cpio,zstd
GUEST_PACKAGES=bash,coreutils,grep,sed,gawk,procps,util-linux,mount,kmod,iproute2,libbpf1,libelf1t64,zlib1g,libstdc++6,numactl,stress-ng,busybox-static
GUEST_PACKAGES+=,bpftool/trixie-backports,linux-perf/trixie-backports

# bootstrap NAME PACKAGES: into NAME.part first, so that a cut-off run leaves no half root behind.
bootstrap() {
	local name=$1 packages=$2 mirror key
	mirror=$(debian_mirror)
	key="$name $ROOT_SUITE $packages"
	if is_fresh "$VM_CACHE/$name" "$key"; then
		say "$name root is there"
		return
	fi
	if [ ! -x "$VM_CACHE/mmdebstrap/usr/bin/mmdebstrap" ]; then
		fetch_deb mmdebstrap
		dpkg-deb -x "$VM_CACHE"/debs/mmdebstrap_*.deb "$VM_CACHE/mmdebstrap"
	fi
	rm -rf --one-file-system "${VM_CACHE:?}/$name" "${VM_CACHE:?}/$name.part" "$VM_CACHE/$name.stamp"
	step "root-$name" env PATH="$VM_CACHE/mmdebstrap/usr/bin:$PATH" nice mmdebstrap --mode=root --variant=apt \
		--architectures=amd64 --aptopt='APT::Sandbox::User "root"' \
		--aptopt='Apt::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
		--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' --include="$packages" \
		"$ROOT_SUITE" "$VM_CACHE/$name.part" \
		"deb [signed-by=$KEYRING] $mirror trixie main" "deb [signed-by=$KEYRING] $mirror trixie-backports main"
	mv "$VM_CACHE/$name.part" "$VM_CACHE/$name"
	mark_fresh "$VM_CACHE/$name" "$key"
}

headers=$(versioned linux-headers-cloud-amd64 "${KERNEL_SUITE[7.3]}")
say "kernel headers: $headers"
bootstrap tools "$TOOLS_PACKAGES,$headers/${KERNEL_SUITE[7.3]}"
printf '%s\n' "${headers#linux-headers-}" >"$VM_CACHE/kernels/7.3.release"
bootstrap guest "$GUEST_PACKAGES"
mkdir -p "$VM_CACHE/guest"/{vm,product} # mount points: the root is read-only in the guest
