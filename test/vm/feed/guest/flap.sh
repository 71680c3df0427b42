#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# 50 times attached and detached under load, both schedulers in turn: nothing may be left. Facts in /vm/out/flap.txt.
times=${1:-50}
scx=/product/bpf/build/scx-energy
for _ in 1 2 3 4 5; do
	$scx join /vm/simhw/simload int_mid 900 >/dev/null &
	loads+=($!)
done
maps_before=$(bpftool map show | grep -c ':')
progs_before=$(bpftool prog show | grep -c ':')
for ((i = 0; i < times; i++)); do
	kind=fair
	[ $((i % 2)) = 1 ] && kind=cap
	$scx $kind >/tmp/flap.log 2>&1 &
	pid=$!
	until grep -q attached /tmp/flap.log; do sleep 0.05; done
	[ "$(cat /sys/kernel/sched_ext/state)" = enabled ] && echo attached
	kill $pid
	wait $pid
	[ "$(cat /sys/kernel/sched_ext/state)" = disabled ] && echo detached
done | sort | uniq -c >/vm/out/flap.txt
kill "${loads[@]}"
sleep 1
{
	echo "maps $maps_before $(bpftool map show | grep -c ':')"
	echo "progs $progs_before $(bpftool prog show | grep -c ':')"
	dmesg | grep -c 'sched_ext.*enabled'
} >>/vm/out/flap.txt
cat /vm/out/flap.txt
