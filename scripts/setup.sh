#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings a checkout from nothing to built: system packages, Node, node_modules, dist, addon.
# Needs only bash, git's checkout and npm. Run by `npm start` and `npm test`; safe to run twice,
# and at the same time from two terminals.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib/log.sh
. scripts/lib/log.sh
# shellcheck source=scripts/lib/system.sh
. scripts/lib/system.sh
# shellcheck source=scripts/lib/node.sh
. scripts/lib/node.sh
# shellcheck source=scripts/lib/build.sh
. scripts/lib/build.sh

usage() {
  cat <<'TEXT'
usage: scripts/setup.sh [--for start|test] [--only modules|dist|addon] [--yes] [--dry-run]
  --for start   what the program needs (default); --for test adds the linters
  --only PART   this part and what it needs, not the others
  --yes         install system packages and Node without asking
  --dry-run     print what would be done, and do nothing
TEXT
}

purpose=start only='' assume_yes='' dry_run=''
while [ $# -gt 0 ]; do
  case "$1" in
    --for | --only)
      [ $# -ge 2 ] || { usage >&2 && exit 2; }
      if [ "$1" = --for ]; then purpose=$2; else only=$2; fi
      shift
      ;;
    --yes) assume_yes=1 ;;
    --dry-run) dry_run=1 ;;
    --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
case "$purpose:$only" in start: | test: | start:modules | start:dist | start:addon) ;; *) usage >&2 && exit 2 ;; esac

# --- facts ---------------------------------------------------------------------------------------
survey() {
  local tools=''
  packages='' want_node='' want_modules='' want_dist='' want_addon=''
  case "$only" in '' | addon) addon_is_current || want_addon=1 ;; esac
  case "$only" in '' | dist) dist_is_current || want_dist=1 ;; esac
  modules_are_current || want_modules=1
  find_node_dir >/dev/null || want_node=1
  # A checkout whose addon is built runs without a compiler.
  if [ -n "$want_addon" ] || [ "$purpose" = test ]; then tools=$(missing_tools "$purpose"); fi
  if [ -n "$tools" ]; then packages=$(packages_for "$(package_family)" <<<"$tools"); fi
}

# --- plan ----------------------------------------------------------------------------------------
print_plan() {
  say "wattfeed set-up: to do"
  [ -z "$packages" ] || say "  system packages    $packages"
  [ -z "$want_node" ] || say "  Node $NODE_INSTALL_MAJOR            $(node_package) from npm, into $NODE_CACHE_DIR (the machine's own is older than $NODE_MIN_MAJOR.$NODE_MIN_MINOR)"
  [ -z "$want_modules" ] || say "  node_modules       npm ci"
  [ -z "$want_dist" ] || say "  dist/              tsc"
  [ -z "$want_addon" ] || say "  native addon       cmake-js: BPF objects and C++"
}

nothing_to_do() { [ -z "$packages$want_node$want_modules$want_dist$want_addon" ]; }

check_can_install() {
  [ -n "$packages" ] || return 0
  has_apt || fail "this system has no apt-get, and these packages are missing: $packages; install them with its own tools, then run this again" 2
  is_root || fail "these packages are missing and only root may install them: run \"apt-get install --no-install-recommends $packages\" as root, then run this again"
}

what_to_install() {
  if [ -z "$packages" ]; then echo 'that Node'; else echo "the system packages above${want_node:+ and Node}"; fi
}

ask() {
  local answer
  [ -n "$packages$want_node" ] && [ -z "$assume_yes" ] && [ -z "${CI:-}" ] && [ -t 0 ] && [ -t 2 ] || return 0
  printf 'Install %s? [Y/n] ' "$(what_to_install)" >&2
  read -r answer || answer=n
  case "$answer" in
    '' | [yY] | [yY][eE][sS]) ;;
    *) fail "nothing was installed; wattfeed needs $(what_to_install)" ;;
  esac
}

# --- apply ---------------------------------------------------------------------------------------
apply() {
  [ -z "$packages" ] || run_step "apt-get install" apt_install "$packages"
  [ -z "$want_node" ] || run_step "install Node $NODE_INSTALL_MAJOR" install_node
  PATH="$(find_node_dir):$PATH"
  export PATH
  [ -z "$want_modules" ] || run_step "npm ci" install_modules
  [ -z "$want_dist" ] || run_step "build TypeScript" build_dist
  [ -z "$want_addon" ] || run_step "build the addon and its BPF objects" build_addon
}

# Two locks, each on a folder that exists anyway: the cache (Node, apt) and this checkout.
# They are released when this process ends.
lock() {
  exec 8<"$CACHE_DIR" 9<.
  flock -n 8 && flock -n 9 && return
  say "wattfeed set-up: waiting for another set-up to end ..."
  flock 8 && flock 9
}

main() {
  has_command npm || fail "npm is not in PATH; install Node.js with npm" 2
  if [ -n "$dry_run" ]; then
    survey
    if nothing_to_do; then say "wattfeed set-up: nothing to do"; else
      print_plan
      check_can_install
    fi
    return
  fi
  # A build that is under way has no key yet: what is current now needs no lock, and does not wait
  # for the set-up of another checkout.
  survey
  nothing_to_do && return
  mkdir -p "$CACHE_DIR" 2>/dev/null ||
    fail "create $CACHE_DIR: not writable; set XDG_CACHE_HOME to a folder that is"
  lock
  survey
  nothing_to_do && return
  print_plan
  check_can_install
  ask
  open_log
  apply
}

main
