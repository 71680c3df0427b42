#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Redis under its own load generator, which begins anew for ever.
directory=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$directory"' EXIT
trap exit TERM INT
redis-server --port 0 --unixsocket "$directory/socket" --save '' --appendonly no --dir "$directory" >/dev/null &
until redis-cli -s "$directory/socket" ping >/dev/null 2>&1; do sleep 0.1; done
while :; do
  redis-benchmark -s "$directory/socket" -q -n 1000000 -c 20 -r 10000 -t set,get,lpush,zadd,lrange_100 >/dev/null &
  wait $!
done
