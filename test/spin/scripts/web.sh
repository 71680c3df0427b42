#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A web server and who asks it without a pause: web.sh NODE
directory=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$directory"' EXIT
trap exit TERM INT
here=$(dirname "${BASH_SOURCE[0]}")
"$1" "$here/web-server.mjs" "$directory/socket" &
"$1" "$here/web-client.mjs" "$directory/socket" &
wait
