// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Defines the maps and the configuration that include/maps.bpf.h declares, and makes the object's
 * BTF carry the structs and enums that only user space uses: native/layout.generated.ts is made
 * from it. No program.
 */
#define WATTFEED_MAPS_OWNER
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile __u32 records_abi = RECORDS_ABI;
const volatile __u32 slot_mask = RECORDS_SLOTS_DEFAULT - 1;
const volatile __u32 cpu_domain_count = 1;
const volatile __s32 cgroup_subsys_id = -1;
const volatile __u32 smt_loss_q16 = SMT_LOSS_Q16;

/* The numbers of records.h that are macros there. */
enum records_limit {
	LIMIT_ABI = RECORDS_ABI,
	LIMIT_COMM_LEN = RECORDS_COMM_LEN,
	LIMIT_COUNTERS_MAX = RECORDS_COUNTERS_MAX,
	LIMIT_CPUS_MAX = RECORDS_CPUS_MAX,
	LIMIT_CPU_DOMAINS_MAX = RECORDS_CPU_DOMAINS_MAX,
	LIMIT_PACKAGES_MAX = RECORDS_PACKAGES_MAX,
	LIMIT_FACTOR_STEPS = RECORDS_FACTOR_STEPS,
	LIMIT_SLOTS_DEFAULT = RECORDS_SLOTS_DEFAULT,
	LIMIT_SOURCE_TEXT_LEN = RECORDS_SOURCE_TEXT_LEN,
};

/* A global's type is in BTF, and nothing else of the header would be. */
struct window_header *layout_window_header;
struct window_cpu *layout_window_cpu;
struct window_source *layout_window_source;
struct window_overflow *layout_window_overflow;
struct window_task *layout_window_task;
enum records_limit *layout_records_limit;
enum slot_state *layout_slot_state;
enum slot_flag *layout_slot_flag;
enum acct_stat *layout_acct_stat;
enum counter_kind *layout_counter_kind;
enum charge_to *layout_charge_to;
enum window_flag *layout_window_flag;
enum window_source_kind *layout_window_source_kind;
