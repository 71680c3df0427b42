#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks Debian packages, with what they need and this machine lacks, into a directory of their own; nothing
# is installed: fetch.sh DIRECTORY PACKAGE...
set -euo pipefail

directory=$1
shift
mkdir -p "$directory/debs"
cd "$directory/debs"
lacks() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" != installed ]; }
wanted=()
while read -r package; do
  if lacks "$package"; then wanted+=("$package"); fi
done < <(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances "$@" | grep '^[a-z0-9]' | sort -u)
[ "${#wanted[@]}" -eq 0 ] || apt-get download -qq "${wanted[@]}"
for deb in *.deb; do
  [ -e "$deb" ] || continue
  dpkg -x "$deb" "$directory/root"
done
touch "$directory/done"
