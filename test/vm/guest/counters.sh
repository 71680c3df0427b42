#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The accounting with the simulated core PMU: alone, beside perf stat -a -d on a PMU that is too small for both, and
# with events that never get a counter. Results in /vm/out, judged by counters.test.ts.
set -e
insmod /vm/simhw/simhw.ko

count() { # OUT SECONDS: three classes at a time, each on a core of its own
	COUNTERS=hardware node /vm/guest/accounting.mjs "/vm/out/$1.json" \
		"/vm/simhw/simload int_hi $2 cpu=0 & /vm/simhw/simload chase $2 cpu=2 & wait"
}

count alone 3
COUNTERS=hardware node /vm/guest/accounting.mjs /vm/out/vector.json "/vm/simhw/simload avx2 2 cpu=1"

# a general counter less than we and perf stat need together, and no fixed ones: the kernel shares them out
echo 0 >/sys/module/simhw/parameters/pmu_fixed
perf stat -x, -a -d -o /vm/out/beside.csv -- sleep 3600 &
perf=$!
sleep 1
count beside 3
kill -INT $perf
wait $perf || true
echo 1 >/sys/module/simhw/parameters/pmu_fixed

# events that open and never count
echo 1 >/sys/module/simhw/parameters/pmu_fail_reads
count dead 2
echo 0 >/sys/module/simhw/parameters/pmu_fail_reads
