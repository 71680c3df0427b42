#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds Prometheus and promtool for the tests and prints the folder that holds both, alone, on stdout;
# everything else goes to stderr. Cached under the version, so a second run ends at once.
#
#   build-prometheus.sh           build if needed, print the folder
#   build-prometheus.sh --path    print the folder only, whether it exists or not
#
# Exit: 0 built or cached, 1 the build failed (the log's end is shown), 3 no Go >= 1.26 on this machine.
set -euo pipefail

# Prometheus 3.16.0. Debian 12's package (2.42) knows no OTLP.
readonly module_version=v0.316.0
# No service discovery: the cloud vendors' libraries are four fifths of the build, and no test uses them.
readonly tags=netgo,remove_all_sd
# shellcheck disable=SC2034
readonly me=build-prometheus

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/go.sh
. "$root/scripts/lib/go.sh"
home=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wattfeed/prometheus-$module_version
log=$home/build.log

if [ "${1:-}" = --path ] || { [ -x "$home/promtool" ] && [ -x "$home/prometheus" ]; }; then
  printf '%s\n' "$home"
  exit 0
fi

mkdir -p "$home"
exec 9>"$home/lock"
flock 9
if [ ! -x "$home/promtool" ] || [ ! -x "$home/prometheus" ]; then # else built while this one waited
  : >"$log"
  use_go "$home"
  for program in prometheus promtool; do
    # Installed beside and renamed: a file at its path is always whole.
    GOBIN=$home/new step "build $program $module_version" \
      go install -tags "$tags" -ldflags='-s -w' "github.com/prometheus/prometheus/cmd/$program@$module_version"
    mv "$home/new/$program" "$home/$program"
  done
  rmdir "$home/new"
  "$home/prometheus" --version >&2
fi
printf '%s\n' "$home"
