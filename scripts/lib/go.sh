# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Building Go programs for the tests, into a cache outside the tree. Sourced; the caller sets `me`, its
# name in messages, and `log`, the file that takes the output of the steps.

# cmd/builder v0.161.0, the Collector and Prometheus 3.16 say `go 1.26` in their go.mod.
readonly go_minor_min=26
readonly progress_interval_s=10

say() { printf '%s: %s\n' "$me" "$*" >&2; }

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

# Puts a Go that is new enough first in PATH, or ends with 3.
use_go() {
  local go
  if ! go=$(find_go); then
    say "find go: no Go >= 1.$go_minor_min on this machine; install it to run the Collector suite"
    exit 3
  fi
  PATH=$(dirname "$go"):$PATH
  # Two compilers at a time; package names to the log for the progress line.
  export PATH GOFLAGS="-p=2 -buildvcs=false -v" CGO_ENABLED=0
  say "using $(go env GOVERSION), cache $1 (the first build takes several minutes)"
}

# Runs a step in the background of a progress line; its output goes to the log.
step() {
  local what=$1 pid started=$SECONDS
  shift
  say "$what"
  # 9 is the caller's lock: a compiler that outlives it must not hold it.
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
