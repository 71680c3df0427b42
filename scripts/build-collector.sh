#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the OpenTelemetry Collector of otel-config/builder-config.yaml with the Collector Builder, and
# beside it the tests of our own receiver as a program (wattfeedreceiver.test). Prints the path of the
# Collector, alone, on stdout; everything else goes to stderr.
#
# Both are cached under the hash of the manifest and of our receiver's sources, so a second run ends at
# once; a change builds anew. Two runs at one time wait for each other.
#
#   build-collector.sh            build if needed, print the path
#   build-collector.sh --path     print the path only, whether it exists or not
#
# Exit: 0 built or cached, 1 the build failed (the log's end is shown), 3 no Go >= 1.26 on this machine.
set -euo pipefail

readonly collector_version=0.161.0
# What messages begin with, scripts/lib/go.sh.
# shellcheck disable=SC2034
readonly me=build-collector

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/go.sh
. "$root/scripts/lib/go.sh"
sources=$root/otel-config
manifest=$sources/builder-config.yaml

# Comments of the manifest build nothing.
built_from() {
  sed '/^ *#/d' "$manifest"
  cat "$sources"/wattfeedreceiver/*.go "$sources"/wattfeedreceiver/go.*
}
hash=$(built_from | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wattfeed
home=$cache/otelcol-$collector_version-$hash
binary=$home/otelcol-test
log=$home/build.log

if [ "${1:-}" = --path ]; then
  printf '%s\n' "$binary"
  exit 0
fi

# A cached binary needs no Go at all.
if [ -x "$binary" ]; then
  printf '%s\n' "$binary"
  exit 0
fi

mkdir -p "$home"
exec 9>"$home/lock"
flock 9
if [ -x "$binary" ]; then # another run built it while this one waited
  printf '%s\n' "$binary"
  exit 0
fi

: >"$log"
use_go "$home"
GOBIN=$home/bin step "install the Collector Builder v$collector_version" \
  go install "go.opentelemetry.io/collector/cmd/builder@v$collector_version"

build=$home/build
rm -rf "$build"
mkdir -p "$build"
sed "s|^dist:|dist:\n  output_path: $build|" "$manifest" >"$home/manifest.yaml"
# The manifest names our own receiver's folder relative to its own place.
cd "$sources"
step "build the Collector" "$home/bin/builder" --config "$home/manifest.yaml"

cd "$sources/wattfeedreceiver"
step "build the receiver's tests" go test -c -o "$home/wattfeedreceiver.test" .

# Renamed in one step, and last: a file at this path is always whole, and all else is there.
mv "$build/otelcol-test" "$binary"
rm -rf "$build"
"$binary" --version >&2
printf '%s\n' "$binary"
