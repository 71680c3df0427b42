#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every part of the simulated hardware of the smt shape, used the way a person or an agent uses it.
# hardware.sh MIX_SECONDS; results in /vm/out, judged by hardware.test.ts.
# shellcheck source=test/vm/guest/lib.sh
. /vm/guest/lib.sh
mix_seconds=${1:-120}

# small tables, so that the mix also needs records again (`folded`)
insmod /vm/simhw/simhw.ko max_processes=400 max_threads=400 || exit 1

# -- 1: as a server's: listing, perf stat on both PMUs
zones >"$OUT/zones.tsv"
ls -d /sys/bus/event_source/devices/power/events/energy-* >"$OUT/power-events.txt"
cat /sys/bus/event_source/devices/power/cpumask >"$OUT/power-cpumask.txt"
perf stat -x, -e cycles,instructions,cache-misses -o "$OUT/perf-core.csv" -- "$LOAD" int_mid 1 cpu=0 >/dev/null
perf stat -x, -a -e power/energy-pkg/,power/energy-ram/ -o "$OUT/perf-power.csv" -- sleep 1

# -- PMU: more events than counters are multiplexed by the kernel
echo 1 >/sys/module/simhw/parameters/pmu_counters
start avx2 cpu=0
perf stat -x, -e cycles,instructions,cache-references,cache-misses,branches,r10c7 -p "${LOADS[0]}" -o "$OUT/perf-mux.csv" -- sleep 2
stop_all
echo 4 >/sys/module/simhw/parameters/pmu_counters

# -- SMT: one thread alone on its core, then two siblings
start int_hi cpu=2
over alone 1
stop_all
start int_mid cpu=0
start br_lo cpu=1
over pair 1
stop_all

# -- frequency: core 1 (CPUs 2, 3) slowed down
control freq 2 1200000
cat /sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq >"$OUT/freq-set.txt"
start tight cpu=2
over freq 1
stop_all
echo 2000000 >/sys/devices/system/cpu/cpu2/cpufreq/scaling_max_freq
cat /sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq >>"$OUT/freq-set.txt"
control freq 2 3500000

# -- power limit: 27 W, a window of 50 ms; the load would take more
start int_hi threads=4
echo 50000 >/sys/class/powercap/intel-rapl:0/constraint_0_time_window_us
echo 27000000 >/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw
sleep 2
over limit 1
cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq >"$OUT/limit-khz.txt"
echo 65000000 >/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw
stop_all

# -- iGPU and wall meter
control igpu 0 7000
truth igpu-0
meter_0=$(cat /sys/class/hwmon/hwmon0/energy1_input)
sleep 2
cat /sys/class/hwmon/hwmon0/power1_average >"$OUT/meter-power.txt"
meter_1=$(cat /sys/class/hwmon/hwmon0/energy1_input)
truth igpu-1
echo $((meter_1 - meter_0)) >"$OUT/meter-energy.txt"
control igpu 0 0

# -- faults, one by one; each leaves what is shown, then is taken away
fault() {
	control fault "$@"
	printf '%s\t%s\t%s\n' "$1 $2" "$(uj intel-rapl:0 2>/dev/null || echo error)" "$(sleep 0.1 && uj intel-rapl:0 2>/dev/null || echo error)"
}
{
	fault package-0 wrap 2000000000 # 2 kJ before its end: not reached here, however slow the host is
	control fault package-0 wrap 1
	sleep 0.3
	printf 'after\t%s\t-\n' "$(uj intel-rapl:0)"
	fault package-0 reset
	fault package-0 freeze
	fault package-0 ok
	fault package-0 garbage 18446744073709551615
	fault package-0 error
	fault package-0 ok
	fault package-0 jump 900000000
} >"$OUT/faults.tsv"
truth faults
cut -d' ' -f1 /proc/uptime >"$OUT/suspend.txt"
control suspend 60000 reset
cut -d' ' -f1 /proc/uptime >>"$OUT/suspend.txt"
uj intel-rapl:0 >>"$OUT/suspend.txt"

# -- parts go and come back
for part in pmu power powercap cpufreq hwmon; do control part $part off; done
find /sys/class/powercap /sys/bus/event_source/devices -printf '%f\n' | tr '\n' ' ' >"$OUT/parts-off.txt"
for part in pmu power powercap cpufreq hwmon; do control part $part on; done
perf stat -x, -e instructions -o "$OUT/perf-again.csv" -- true

# -- 2: mixed load with threads, duty cycles, a storm of short processes; snapshots on the way
between mix-0
end=$((SECONDS + mix_seconds))
start int_hi duty=400
start stream duty=700 period=50000 threads=2
start avx512 cpu=1 duty=500
start chase cpu=3
start tiny forks=1000
while [ $SECONDS -lt $((end - mix_seconds / 2)) ]; do sleep 1; done
between mix-1
while [ $SECONDS -lt $end ]; do sleep 1; done
stop_all
between mix-2
cat "$SIMHW/status" >"$OUT/status.txt"

rmmod simhw && echo ok >"$OUT/rmmod.txt"
