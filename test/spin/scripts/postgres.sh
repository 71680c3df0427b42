#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PostgreSQL under its own load generator. It does not run as root, so it runs as nobody.
for programs in /usr/lib/postgresql/*/bin; do :; done
directory=$(mktemp -d)
chmod 0777 "$directory"
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL "$@"; }
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$directory"' EXIT
trap exit TERM INT
cd "$directory" || exit 1
as_nobody "$programs/initdb" -D data -A trust -U nobody -N >/dev/null || exit 1
as_nobody "$programs/postgres" -D data -k "$directory" -c listen_addresses= -c fsync=off >/dev/null 2>&1 &
until as_nobody "$programs/pgbench" -h "$directory" -i -s 5 -q postgres >/dev/null 2>&1; do sleep 0.2; done
while :; do
  as_nobody "$programs/pgbench" -h "$directory" -c 2 -T 600 postgres >/dev/null 2>&1 &
  wait $!
done
