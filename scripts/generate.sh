#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes every generated file anew; with --check, fails where one differs from what is committed.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
for generator in scripts/gen-*.ts; do
  node_modules/.bin/tsx "$generator" "$@"
done
