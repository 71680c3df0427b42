#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the C and C++ sources in place, each folder by its own .clang-format.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
git ls-files -co --exclude-standard -z -- 'bpf/*.c' 'bpf/*.h' 'native/src/*.cc' 'native/src/*.hh' \
  'native/test/*.cc' ':!bpf/vmlinux/*' | xargs -0 -r clang-format -i
