#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds scripts/kubernetes-proof: etcd, the real kube-apiserver and kubectl in one program, from the modules
# that Kubernetes publishes. Prints its path, alone, on stdout; everything else goes to stderr. Cached
# under the hash of its sources. Takes some seven minutes of CPU from nothing.
#
# Exit: 0 built or cached, 1 the build failed (the log's end is shown), 3 no Go >= 1.26 on this machine.
set -euo pipefail

# What messages begin with, scripts/lib/go.sh.
# shellcheck disable=SC2034
readonly me=build-kubernetes

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/lib/go.sh
. "$root/scripts/lib/go.sh"
sources=$root/scripts/kubernetes-proof
version=$(sed -n 's/^\tk8s\.io\/kubernetes \(v[0-9.]*\)$/\1/p' "$sources/go.mod")
hash=$(cat "$sources"/*.go "$sources"/go.* | sha256sum | cut -c1-12)
home=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wattfeed/kubernetes-$version-$hash
binary=$home/kubernetes-proof
log=$home/build.log

mkdir -p "$home"
exec 9>"$home/lock"
flock 9
if [ -x "$binary" ]; then
  printf '%s\n' "$binary"
  exit 0
fi

: >"$log"
use_go "$home"
# As Go itself has it: nothing here is carried to another machine.
unset CGO_ENABLED
# What a release is built with: a client and a server that say no version do not talk to each other.
minor=${version#v1.}
minor=${minor%%.*}
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags+=" -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor"
done
cd "$sources"
step "build kube-apiserver, etcd and kubectl $version" go build -ldflags "$flags" -o "$binary.new" .
mv "$binary.new" "$binary"
printf '%s\n' "$binary"
