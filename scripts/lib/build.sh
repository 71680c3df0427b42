# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The three things built in a checkout, each with a key over its inputs, so that a second run does
# nothing. A key is stored beside its product and written last: a build that was cut short has none.
# Sourced with the checkout as the working directory.

ADDON_FILE=native/build/Release/wattfeed.node

# hash_files PATH...: one hash over names and contents, whatever order the filesystem lists them in.
# vmlinux.h alone is 3 MB; the whole takes about 0.1 s.
hash_files() {
  local existing=() path
  for path in "$@"; do [ ! -e "$path" ] || existing+=("$path"); done
  [ "${#existing[@]}" -gt 0 ] || return 0
  find "${existing[@]}" \( -name build -o -name 'build-*' -o -name node_modules \) -prune -o \
    -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum | sha256sum | cut -d' ' -f1
}

modules_key() { hash_files package-lock.json; }
dist_key() { hash_files receiver policy native/index.ts native/layout.generated.ts native/spin-layout.generated.ts tsconfig.json package-lock.json; }
addon_key() {
  { hash_files native bpf package-lock.json && uname -m; } | sha256sum | cut -d' ' -f1
}

# is_current STAMP KEY PRODUCT
is_current() { [ -e "$3" ] && [ "$(cat "$1" 2>/dev/null)" = "$2" ]; }
modules_are_current() { is_current node_modules/.wattfeed-key "$(modules_key)" node_modules/.bin; }
dist_is_current() { is_current dist/.wattfeed-key "$(dist_key)" dist/receiver; }
addon_is_current() { is_current native/build/.wattfeed-key "$(addon_key)" "$ADDON_FILE"; }

# No install script of any dependency is needed, so none is run.
install_modules() {
  npm ci --no-audit --no-fund --ignore-scripts && modules_key >node_modules/.wattfeed-key
}

# Built aside and swapped, so that nothing of a removed source stays, and an agent that is
# starting meanwhile finds either the old files or the new.
build_dist() {
  local key
  key=$(dist_key)
  rm -rf dist.next
  node_modules/.bin/tsc -p tsconfig.json --outDir dist.next --incremental false --tsBuildInfoFile null || return
  chmod +x dist.next/receiver/main.js
  echo "$key" >dist.next/.wattfeed-key
  rm -rf dist && mv dist.next dist
}

build_addon() {
  local key
  key=$(addon_key)
  BPFTOOL=$(find_bpftool) || true
  export BPFTOOL
  CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
  export CMAKE_BUILD_PARALLEL_LEVEL
  node_modules/.bin/cmake-js compile -d native || return
  [ -e "$ADDON_FILE" ] || {
    echo "cmake-js ended without an error, but $ADDON_FILE is not there"
    return 1
  }
  echo "$key" >native/build/.wattfeed-key
}
