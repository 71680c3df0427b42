#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run by `npm pack` after the build: refuses to pack a package that needs more than Node on the
# machine that runs it. The addon may link the C and C++ runtime and nothing else.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
addon=native/build/Release/wattfeed.node
foreign=$(ldd "$addon" | awk '{print $1}' |
  grep -vE '^(linux-vdso|/lib.*/ld-linux|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+)\.so)' || true)
if [ -n "$foreign" ]; then
  echo "pack: $addon links $(tr '\n' ' ' <<<"$foreign")dynamically: install the static libraries (libbpf-dev, libelf-dev, zlib1g-dev) and build again" >&2
  exit 1
fi
[ "$(head -c 2 dist/receiver/main.js)" = '#!' ] || {
  echo "pack: dist/receiver/main.js has no #! line, so the command could not be started" >&2
  exit 1
}
