#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The numa shape: two packages, memory away from its CPU. Results in /vm/out, judged by numa.test.ts.
# shellcheck source=test/vm/guest/lib.sh
. /vm/guest/lib.sh
insmod /vm/simhw/simhw.ko zone_mmio=1 zone_psys=0 || exit 1
zones >"$OUT/zones.tsv"
cat /sys/devices/system/node/node{0,1}/cpulist >"$OUT/nodes.txt"
cat /sys/bus/event_source/devices/power/cpumask >"$OUT/power-cpumask.txt"
# starts on node 1, so its memory is there; then it is moved
taskset -c 2 "$LOAD" stream 600 >/dev/null &
stream=$!
LOADS+=("$stream")
until_named $stream stream
start int_mid cpu=0
taskset -p -c 1 $stream >/dev/null
over moved 1.5
perf stat -x, -a --per-socket -e power/energy-pkg/,power/energy-ram/ -o "$OUT/perf-power.csv" -- sleep 0.5
stop_all
between end
rmmod simhw && echo ok >"$OUT/rmmod.txt"
