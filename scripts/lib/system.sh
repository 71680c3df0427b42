# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Which build tools this machine lacks, and what its distribution calls them. Sourced.

OS_RELEASE_FILE="${WATTFEED_OS_RELEASE:-/etc/os-release}"
INCLUDE_ROOT="${WATTFEED_INCLUDE_ROOT:-/usr/include}"
# Debian keeps bpftool in /usr/sbin, which is not in an ordinary user's PATH.
PATH="$PATH:/usr/sbin:/sbin"

# os_field ID|ID_LIKE: the value without its quotes, or nothing.
os_field() { sed -n "s/^$1=//p" "$OS_RELEASE_FILE" 2>/dev/null | tr -d "\"'"; }

has_command() { command -v "$1" >/dev/null 2>&1; }
has_apt() { has_command apt-get; }
is_root() { [ "$(id -u)" -eq 0 ]; }

# Ubuntu's /usr/sbin/bpftool is a wrapper that fails unless the tools of exactly the running
# kernel are installed (in containers and on cloud kernels they often are not); the real program
# of any installed version does for building, since it only reads an object file.
find_bpftool() {
  local candidate
  if [ -n "${BPFTOOL:-}" ]; then
    printf '%s' "$BPFTOOL"
    return 0
  fi
  if bpftool version >/dev/null 2>&1; then
    command -v bpftool
    return 0
  fi
  for candidate in /usr/lib/linux-tools/*/bpftool /usr/lib/linux-tools-*/bpftool; do
    if [ -x "$candidate" ] && "$candidate" version >/dev/null 2>&1; then
      printf '%s' "$candidate"
      return 0
    fi
  done
  return 1
}

# One word per missing tool: what it is, not what a distribution calls it.
# missing_tools test|build: `test` adds the linters of the static suite and what tests make or watch
# things with: certificates, system calls.
missing_tools() {
  has_command clang || echo clang
  find_bpftool >/dev/null || echo bpftool
  [ -e "$INCLUDE_ROOT/bpf/libbpf.h" ] || echo libbpf
  [ -e "$INCLUDE_ROOT/libelf.h" ] || echo libelf
  [ -e "$INCLUDE_ROOT/zlib.h" ] || echo zlib
  has_command cmake || echo cmake
  has_command make || echo make
  has_command g++ || echo g++
  has_command pkg-config || echo pkg-config
  if [ "$1" = test ]; then
    has_command shellcheck || echo shellcheck
    has_command clang-format || echo clang-format
    has_command openssl || echo openssl
    has_command strace || echo strace
  fi
}

# package_name FAMILY TOOL. The names for dnf and pacman are only told, never installed.
package_name() {
  case "$1:$2" in
    ubuntu:bpftool) echo "linux-tools-common linux-tools-generic" ;;
    debian:libbpf | ubuntu:libbpf) echo libbpf-dev ;;
    debian:libelf | ubuntu:libelf) echo libelf-dev ;;
    debian:zlib | ubuntu:zlib) echo zlib1g-dev ;;
    dnf:libbpf) echo libbpf-devel ;;
    dnf:libelf) echo elfutils-libelf-devel ;;
    dnf:zlib) echo zlib-devel ;;
    dnf:g++) echo gcc-c++ ;;
    dnf:pkg-config) echo pkgconf-pkg-config ;;
    dnf:shellcheck) echo ShellCheck ;;
    dnf:clang-format) echo clang-tools-extra ;;
    pacman:bpftool) echo bpf ;;
    pacman:g++) echo gcc ;;
    pacman:pkg-config) echo pkgconf ;;
    pacman:clang-format) echo clang ;;
    *) echo "$2" ;;
  esac
}

package_family() {
  if has_apt; then
    case " $(os_field ID) $(os_field ID_LIKE) " in
      *' ubuntu '*) echo ubuntu ;;
      *) echo debian ;;
    esac
  elif has_command dnf; then
    echo dnf
  elif has_command pacman; then
    echo pacman
  else
    echo other
  fi
}

# Tools (one a line on stdin) -> package names, one line, each once.
packages_for() {
  local family=$1 tool
  while read -r tool; do
    package_name "$family" "$tool" | tr ' ' '\n'
  done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

# From Ubuntu 25.04 on bpftool is a package of its own, and the others no longer carry it. Which
# one it is can be asked only after `apt-get update`, so it is settled at the time of installing.
settle_bpftool_package() {
  local packages=" $1 "
  if [[ $packages == *' linux-tools-generic '* ]] &&
    apt-cache policy bpftool 2>/dev/null | grep -q 'Candidate: [0-9]'; then
    packages=${packages/ linux-tools-common / bpftool }
    packages=${packages/ linux-tools-generic / }
  fi
  printf '%s' "${packages# }" | sed 's/ $//'
}

apt_install() {
  local packages
  export DEBIAN_FRONTEND=noninteractive
  # Another apt (unattended-upgrades on a fresh cloud machine) may hold the lock for minutes.
  apt-get -o DPkg::Lock::Timeout=300 update || return
  packages=$(settle_bpftool_package "$1")
  # shellcheck disable=SC2086 # a list of words on purpose
  apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $packages
}
