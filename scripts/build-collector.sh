#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds the OpenTelemetry Collector of otel-config/builder-config.yaml with the Collector Builder and
# prints the path of the binary, alone, on stdout; everything else goes to stderr.
#
# The binary is cached under the hash of the manifest, so a second run ends at once; a changed manifest
# builds anew. Two runs at one time wait for each other.
#
#   build-collector.sh            build if needed, print the path
#   build-collector.sh --path     print the path only, whether it exists or not
#
# Exit: 0 built or cached, 1 the build failed (the log's end is shown), 3 no Go >= 1.26 on this machine.
set -euo pipefail

readonly collector_version=0.161.0
# cmd/builder v0.161.0 and the Collector say `go 1.26` in their go.mod.
readonly go_minor_min=26
readonly progress_interval_s=10

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
manifest=$root/otel-config/builder-config.yaml
# Comments build nothing.
hash=$(sed '/^ *#/d' "$manifest" | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wattfeed
home=$cache/otelcol-$collector_version-$hash
binary=$home/otelcol-test
log=$home/build.log

say() { printf 'build-collector: %s\n' "$*" >&2; }

if [ "${1:-}" = --path ]; then
  printf '%s\n' "$binary"
  exit 0
fi

# A cached binary needs no Go at all.
if [ -x "$binary" ]; then
  printf '%s\n' "$binary"
  exit 0
fi

find_go() {
  local candidate minor
  for candidate in "$(command -v go || true)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
    [ -x "$candidate" ] || continue
    minor=$("$candidate" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
    if [ -n "$minor" ] && [ "$minor" -ge "$go_minor_min" ]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

if ! go=$(find_go); then
  say "find go: no Go >= 1.$go_minor_min on this machine; install it to run the Collector suite"
  exit 3
fi

mkdir -p "$home"
exec 9>"$home/lock"
flock 9
if [ -x "$binary" ]; then # another run built it while this one waited
  printf '%s\n' "$binary"
  exit 0
fi

# Runs a step in the background of a progress line; its output goes to the log.
step() {
  local what=$1 pid started=$SECONDS
  shift
  say "$what"
  nice -n 10 "$@" >>"$log" 2>&1 9>&- &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    if (((SECONDS - started) % progress_interval_s == 0 && SECONDS > started)); then
      say "$what: $((SECONDS - started)) s, $(grep -c / "$log" || true) packages"
    fi
  done
  if ! wait "$pid"; then
    say "$what: failed; the end of $log:"
    tail -n 20 "$log" >&2
    exit 1
  fi
}

: >"$log"
PATH=$(dirname "$go"):$PATH
export PATH
# Two compilers at a time; package names to the log for the progress line.
export GOFLAGS="-p=2 -buildvcs=false -v"
export CGO_ENABLED=0
say "using $("$go" env GOVERSION), cache $home (the first build takes several minutes)"
GOBIN=$home/bin step "install the Collector Builder v$collector_version" \
  "$go" install "go.opentelemetry.io/collector/cmd/builder@v$collector_version"

build=$home/build
rm -rf "$build"
mkdir -p "$build"
sed "s|^dist:|dist:\n  output_path: $build|" "$manifest" >"$home/manifest.yaml"
step "build the Collector" "$home/bin/builder" --config "$home/manifest.yaml"

# Renamed in one step: a file at this path is always whole.
mv "$build/otelcol-test" "$binary"
rm -rf "$build"
"$binary" --version >&2
printf '%s\n' "$binary"
