#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the addon's own tests under the sanitizers, as root: they load programs.
#   core_test under AddressSanitizer and ThreadSanitizer; test/native under AddressSanitizer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
usage: scripts/native-asan.sh [address|thread]
  one sanitizer only; both without an argument
TEXT
}

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

say() { printf '== %s\n' "$*"; }

# quietly COMMAND...: its output only if it fails
quietly() {
  "$@" >"$reports/build.log" 2>&1 || { cat "$reports/build.log" && return 1; }
}

core_test() { # SANITIZER; in native/build-SANITIZER, never the addon in use
  say "core_test, $1 sanitizer"
  quietly cmake --build "native/build-$1" --target core_test -j "$(nproc)"
  ASAN_OPTIONS=detect_leaks=1 TSAN_OPTIONS=halt_on_error=1 "native/build-$1/core_test"
}

# Node itself never frees some of its memory, so a leak counts only if one of our frames or libbpf's
# is in its stack. Every other kind of report counts always.
judge_reports() {
  local found
  found=$(cat "$reports"/asan.* 2>/dev/null | awk '
    BEGIN { RS = ""; ORS = "\n\n" }
    /ERROR: AddressSanitizer/ { print; broken = 1; next }
    broken { print; next }
    /leak of/ && /native\/src\/|wattfeed::|wattfeed\.node|libbpf/ { print }')
  [ -z "$found" ] && return
  printf '%s\n' "$found"
  return 1
}

run_address() {
  local addon=$PWD/native/build-address/Release/wattfeed.node
  quietly node_modules/.bin/cmake-js compile -d native -O native/build-address --CDWATTFEED_SANITIZE=address
  core_test address
  # log_path: a Worker's stderr is no test's. The exit code of the leak check is left to judge_reports.
  local -x LD_PRELOAD ASAN_OPTIONS="detect_leaks=1:log_path=$reports/asan" LSAN_OPTIONS=exitcode=0
  say "test/native, address sanitizer"
  LD_PRELOAD=$(g++ -print-file-name=libasan.so)
  WATTFEED_ADDON=$addon node_modules/.bin/vitest run --project native \
    --exclude test/native/core.test.ts --testTimeout 240000
  say "leaks"
  node scripts/native-exercise.mjs "$addon"
  LD_PRELOAD='' judge_reports || { echo "address sanitizer: the reports above are ours" >&2 && return 1; }
}

run_thread() {
  quietly cmake -S native -B native/build-thread -DWATTFEED_SANITIZE=thread
  core_test thread
}

case "${1:-both}" in
  address) run_address ;;
  thread) run_thread ;;
  both) run_address && run_thread ;;
  --help) usage ;;
  *) usage >&2 && exit 2 ;;
esac
say "no report"
