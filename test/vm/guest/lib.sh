# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts that run in the simulated machine. Files for the host go to /vm/out.
export SIMHW=/sys/kernel/debug/simhw
export LOAD=/vm/simhw/simload
export OUT=/vm/out

control() { echo "$*" >$SIMHW/control; }
truth() { cat $SIMHW/truth >"$OUT/$1.truth"; }
# One line per zone: directory, name, mode of energy_uj, counter, range, long-term limit.
zones() {
	local zone
	for zone in /sys/class/powercap/intel-rapl*:*; do
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${zone##*/}" "$(cat "$zone/name")" "$(stat -c %a "$zone/energy_uj")" \
			"$(cat "$zone/energy_uj" 2>/dev/null)" "$(cat "$zone/max_energy_range_uj")" \
			"$(cat "$zone/constraint_0_power_limit_uw")"
	done
}
uj() { cat "/sys/class/powercap/$1/energy_uj"; }
# The zones' counters just before and just after a truth: what lies between them cannot be wrong by more.
between() {
	zones >"$OUT/$1.before"
	truth "$1"
	zones >"$OUT/$1.after"
}
# until_named PID NAME: a command that was started is the load that it is to become.
until_named() { until grep -q "^$2$" "/proc/$1/comm"; do sleep 0.1; done; }
# start NAME OPTION...: a load that runs until stop_all, once it really is that load.
LOADS=()
start() {
	"$LOAD" "$1" 600 "${@:2}" >/dev/null &
	LOADS+=($!)
	until_named $! "$1"
}
stop_all() {
	kill "${LOADS[@]}"
	wait "${LOADS[@]}" 2>/dev/null
	LOADS=()
}
# over LABEL SECONDS: truths LABEL-0 and LABEL-1 around that long.
over() {
	truth "$1-0"
	sleep "$2"
	truth "$1-1"
}
