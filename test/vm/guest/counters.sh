#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The accounting with the simulated core PMU: alone, beside perf stat -a -d on a PMU that is too small for both, and
# with events that never get a counter. Results in /vm/out, judged by counters.test.ts.
# shellcheck source=test/vm/guest/lib.sh
. /vm/guest/lib.sh
set -e
insmod /vm/simhw/simhw.ko

# count NAME LOADS: NAME.json is what was counted, NAME.truth what was so
count() {
	COUNTERS=hardware node /vm/guest/accounting.mjs "$OUT/$1.json" "$2"
	truth "$1"
}

count alone "$LOAD int_hi 2 cpu=0 & $LOAD chase 2 cpu=2 & $LOAD avx2 2 cpu=1 & wait"

# no fixed counters and fewer general ones than we and perf stat need together: the kernel shares them out
echo 0 >/sys/module/simhw/parameters/pmu_fixed
perf stat -x, -a -d -o "$OUT/beside.csv" -- sleep 3600 &
perf=$!
sleep 1
count beside "$LOAD int_hi 2 cpu=0 & $LOAD chase 2 cpu=2 & wait"
kill -TERM $perf # SIGINT is ignored by what a script starts in the background
wait $perf || true
echo 1 >/sys/module/simhw/parameters/pmu_fixed

# events that open and never count
echo 1 >/sys/module/simhw/parameters/pmu_fail_reads
count dead "$LOAD int_hi 1 cpu=0"
