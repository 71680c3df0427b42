# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts beside it: where things are kept, and an apt view of the suites we need that leaves
# the machine's own sources alone. Everything is asked for by package name, from the mirror that the machine's
# own apt already uses; apt checks signatures and hashes of all it fetches.
set -euo pipefail

VM_CACHE=${WATTFEED_VM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wattfeed/vm}
IMAGES_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SIMHW_DIR=$(cd "$IMAGES_DIR/../simhw" && pwd)
GUEST_DIR=$(cd "$IMAGES_DIR/../guest" && pwd)
export IMAGES_DIR SIMHW_DIR GUEST_DIR
mkdir -p "$VM_CACHE"/{apt/lists/partial,apt/archives/partial,debs,kernels,logs}

# Kernels of the matrix: name = suite that has it. Only 7.3 carries sched_ext; all have BTF.
# shellcheck disable=SC2034
declare -A KERNEL_SUITE=([6.1]=bookworm [6.12]=trixie [7.3]=trixie-backports)
export ROOT_SUITE=trixie

say() { printf 'vm-images: %s\n' "$*" >&2; }
die() {
	say "$*"
	exit 1
}

# One step with its time; its output is kept and shown only when it fails. The subshell stands outside any
# condition: inside one, `set -e` would not stop a function at its first failing command.
step() {
	local name=$1 start log code
	shift
	start=$(date +%s.%N)
	log=$VM_CACHE/logs/$name.log
	set +e
	(
		set -e
		"$@"
	) >"$log" 2>&1 </dev/null
	code=$?
	set -e
	if [ "$code" != 0 ]; then
		tail -n 30 "$log" >&2
		die "$name failed; the whole log is $log"
	fi
	say "$(awk -v a="$start" -v b="$(date +%s.%N)" -v name="$name" 'BEGIN { printf "%6.1f s  %s", b - a, name }')"
}

# The Debian mirror of this machine: first deb822 or one-line source that carries Debian's own archive.
debian_mirror() {
	local found
	# shellcheck disable=SC2016 # apt's own variable
	found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
		grep -v -e security -e '^$' | head -n 1 || true)
	[ -n "$found" ] || found=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 | tr -d ' ' || true)
	[ -n "$found" ] || die 'no Debian mirror in the sources of apt: add one, or run on Debian'
	printf '%s\n' "${found%/}"
}

KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg
APT_VIEW=(
	-oDir::Etc::sourcelist="$VM_CACHE/apt/sources.list" -oDir::Etc::sourceparts=/nonexistent
	-oDir::State::Lists="$VM_CACHE/apt/lists" -oDir::Cache::archives="$VM_CACHE/apt/archives"
	-oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= -oAPT::Sandbox::User=root
)

# Lists of the suites; fetched once, then again after a day. Without a mirror the old lists do.
apt_view() {
	local mirror suite fresh list=$VM_CACHE/apt/sources.list
	[ -r "$KEYRING" ] || die "$KEYRING is missing; install debian-archive-keyring"
	mirror=$(debian_mirror)
	for suite in bookworm trixie trixie-backports; do
		echo "deb [signed-by=$KEYRING] $mirror $suite main"
	done >"$list.new"
	fresh=$(find "$VM_CACHE/apt/lists" -maxdepth 1 -name '*Packages*' | wc -l)
	[ -z "$(find "$VM_CACHE/apt/updated" -mmin -1440 2>/dev/null)" ] && fresh=0
	cmp -s "$list.new" "$list" || fresh=0
	mv "$list.new" "$list"
	[ "$fresh" -lt 3 ] || return 0
	if apt-get "${APT_VIEW[@]}" update -qq; then
		touch "$VM_CACHE/apt/updated"
	else
		say 'the package lists could not be fetched; going on with those that are there'
	fi
}

# fetch_deb PACKAGE[/SUITE]...: downloads by name into debs/ and prints nothing.
fetch_deb() { (cd "$VM_CACHE/debs" && apt-get "${APT_VIEW[@]}" download -qq "$@"); }

# The versioned package behind a kernel metapackage of one suite, e.g. linux-headers-7.3.4+deb13-cloud-amd64. Asked
# once per fetch of the lists: apt takes seconds to read them.
versioned() {
	local meta=$1 suite=$2 version found kept=$VM_CACHE/apt/$1.$2
	if [ "$kept" -nt "$VM_CACHE/apt/updated" ]; then
		cat "$kept"
		return
	fi
	version=$(apt-cache "${APT_VIEW[@]}" madison "$meta" | awk -F'|' -v want=" $suite/main " '
		index($3, want) { gsub(/ /, "", $2); print $2; exit }')
	found=$(apt-cache "${APT_VIEW[@]}" show "$meta" | awk -v want="$version" '
		/^Version:/ { take = ($2 == want) }
		take && /^Depends:/ && match($0, /linux-(headers|image)-[0-9][^ ,]*/) { print substr($0, RSTART, RLENGTH); exit }')
	[ -n "$found" ] || die "$meta is not in $suite"
	printf '%s\n' "$found" | tee "$kept"
}

# A finished product carries the checksum of what it was made from, so a second run does nothing and a run
# that was cut short starts that product anew.
is_fresh() { [ -f "$1.stamp" ] && [ -e "$1" ] && [ "$(cat "$1.stamp")" = "$2" ]; }
mark_fresh() { printf '%s' "$2" >"$1.stamp"; }
