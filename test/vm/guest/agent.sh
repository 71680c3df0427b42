#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The product in the simulated machine: what `check` finds, its accounting's SMT overlap against the truth; then
# a mixed load, and under it an agent on each energy source, and each fault. Results in /vm/out, judged by
# agent.test.ts.
# shellcheck source=test/vm/guest/lib.sh
. /vm/guest/lib.sh
insmod /vm/simhw/simhw.ko || exit 1

# a start of Node takes 10 to 20 s of one CPU under TCG: two at a time
{
	node dist/receiver/main.js check >"$OUT/check.txt" 2>&1
	echo $? >"$OUT/check.exit"
} &
node dist/receiver/main.js check --json >"$OUT/check.json" 2>"$OUT/check.err"
wait

# two busy siblings, a busy and a resting one, then one alone
node /vm/guest/accounting.mjs "$OUT/accounting.json" \
	"$LOAD int_hi 6 cpu=0 & $LOAD stream 6 cpu=1 & $LOAD avx2 6 cpu=2 & $LOAD br_lo 6 cpu=3 duty=300 & wait; $LOAD chase 3 cpu=2 >$OUT/load.txt" >/dev/null
truth overlap

node /vm/guest/agent-faults.mjs || exit 1
