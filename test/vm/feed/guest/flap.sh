#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# flap.sh TIMES: attached and detached under load, both schedulers in turn: nothing may be left. Facts in
# /vm/out/flap.txt: attaches, detaches, then maps, programs and kilobytes before and after.
times=${1:-50}
scx=/product/bpf/build/scx-energy
out=/vm/out/flap.txt
log=/tmp/flap.log

# left NAME: maps, programs and kilobytes that are free, one a line (the guest has no /dev/fd to read from)
left() {
	echo 3 >/proc/sys/vm/drop_caches
	{
		bpftool -j map show | tr -cd '{' | wc -c
		bpftool -j prog show | tr -cd '{' | wc -c
		awk '/^(MemFree|Buffers|Cached):/ {sum += $2} END {print sum}' /proc/meminfo
	} >/tmp/left-"$1"
}

# once before, so that what a first attach leaves for ever (caches of the kernel) is not counted
cycle() {
	: >$log
	taskset -c 0,1 $scx "$1" >$log 2>&1 &
	local pid=$!
	until grep -q attached $log || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	[ "$(cat /sys/kernel/sched_ext/state)" = enabled ] && attached=$((attached + 1))
	kill $pid
	wait $pid
	[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] && detached=$((detached + 1))
}

for _ in 1 2 3; do
	taskset -c 2,3 $scx join /vm/simhw/simload int_mid 900 >/dev/null &
	loads+=($!)
done
attached=0 detached=0
cycle fair
cycle cap
left before
attached=0 detached=0
for ((i = 0; i < times; i++)); do
	if [ $((i % 2)) = 0 ]; then cycle fair; else cycle cap; fi
done
left after
mapfile -t before </tmp/left-before
mapfile -t after </tmp/left-after
kill "${loads[@]}"
{
	printf 'attached %s\ndetached %s\n' "$attached" "$detached"
	printf 'maps %s %s\nprograms %s %s\nfree_kb %s %s\n' "${before[0]}" "${after[0]}" "${before[1]}" \
		"${after[1]}" "${before[2]}" "${after[2]}"
	printf 'complaints %s\n' "$(dmesg | grep -cE 'stall|BUG:|WARNING:|runtime error')"
} >$out
cat $out
