#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The product in the simulated machine: what `check` finds, then an agent on each energy source under a mixed load,
# and each fault. Results in /vm/out, judged by agent.test.ts.
# shellcheck source=test/vm/guest/lib.sh
. /vm/guest/lib.sh
insmod /vm/simhw/simhw.ko || exit 1

# once from the product's own files, as they are installed; two at a time, for a start is slow under TCG
{
	node dist/receiver/main.js check >"$OUT/check.txt" 2>&1
	echo $? >"$OUT/check.exit"
} &
node /vm/product/dist/receiver/main.js check --json >"$OUT/check.json" 2>"$OUT/check.err"
wait

# in time for each window, whatever the load; what it starts has the usual policy
exec chrt --reset-on-fork --fifo 10 node /vm/guest/agent-faults.mjs
