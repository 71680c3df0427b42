#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Run by `npm pack` after the build: refuses to pack what would not start on a machine without
# compilers. The addon may need the C and C++ runtime and libbpf (with its libelf and zlib): Debian's
# libbpf.a is not position-independent, so it cannot be linked in.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
addon=native/build/Release/wattfeed.node
foreign=$(ldd "$addon" | awk '{print $1}' |
  grep -vE '^(linux-vdso|/lib.*/ld-linux|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+|bpf|elf|z|zstd|lzma|bz2)\.so)' || true)
if [ -n "$foreign" ]; then
  echo "pack: $addon needs $(tr '\n' ' ' <<<"$foreign")too, which a machine that runs it may lack" >&2
  exit 1
fi
[ "$(head -c 2 dist/receiver/main.js)" = '#!' ] || {
  echo "pack: dist/receiver/main.js has no #! line, so the command could not be started" >&2
  exit 1
}
