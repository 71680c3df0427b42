// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Looks at threads that may spin: where in the program the clock meets them and in which state, or in
 * which system call with which arguments and result.
 *
 * An object of its own, loaded only while somebody is examined. One perf event (cpu-clock, which every
 * machine has) per thread; its cookie is the number of the thread's record. A thread runs on one CPU at a
 * time, so a record has one writer. Nothing is decided here. Cost: 1 to 3 us per sample.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "registers.bpf.h"
#include "spin.h"

#define NSEC_PER_SEC 1000000000ULL
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL
/* Below it nothing is mapped, above it is the kernel: no pointer of a program. */
#define POINTER_LOW 0x10000ULL
#define POINTER_HIGH (1ULL << 47)
#define WORDS_BEHIND_POINTER 4 /* header and value of an interpreter's number */
#define WORDS_OF_STACK 16 /* the red zone; of a path as well */
#define STACK_BYTES (WORDS_OF_STACK * sizeof(__u64))
/* Those whose time may be absolute. */
#if defined(__TARGET_ARCH_x86)
#define CALL_FUTEX 202
#define CALL_CLOCK_NANOSLEEP 230
#else
#define CALL_FUTEX 98
#define CALL_CLOCK_NANOSLEEP 115
#endif
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1
#define FUTEX_COMMAND 0x7f
#define FUTEX_WAIT 0
#define FUTEX_WAIT_BITSET 9
#define FUTEX_CLOCK_REALTIME 0x100

char LICENSE[] SEC("license") = "Dual BSD/GPL";

const volatile __u32 spin_abi = SPIN_ABI;
/* By call number: which argument points to a timespec, plus one; 0: none. */
const volatile __u8 timespec_argument[SPIN_CALL_NUMBERS_MAX];
/* CLOCK_REALTIME less CLOCK_MONOTONIC when the sampler was loaded. */
const volatile __u64 realtime_offset_ns;
/* Only for their types, which would not be in the BTF otherwise. */
enum spin_limit *const volatile layout_spin_limit;
enum spin_place *const volatile layout_spin_place;
enum spin_program_word *const volatile layout_spin_program_word;
enum spin_call_word *const volatile layout_spin_call_word;
enum spin_counter *const volatile layout_spin_counter;

/*
 * Key: number of the examination. Written here only; user space clears one before it opens the event.
 * As many as user space needs, set before loading.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct spin_record);
} spin_records SEC(".maps");

/* Not cryptographic: who collides on purpose looks like a spinner. */
static __always_inline __u64 mix(__u64 hash, __u64 value)
{
	hash = (hash ^ value) * HASH_FACTOR;
	return hash ^ (hash >> 29);
}

static __always_inline __u64 hash_registers(const struct user_registers *regs)
{
	const __u64 *general = (const __u64 *)regs;
	__u64 hash = user_sp(regs);

	for (int i = 0; i < GENERAL_REGISTERS; i++)
		hash = mix(hash, general[i]);
	return hash;
}

static __always_inline __u64 hash_bytes(__u64 hash, __u64 from)
{
	__u64 words[WORDS_OF_STACK];

	if (bpf_probe_read_user(words, sizeof(words), (void *)from))
		return hash;
	for (int n = 0; n < WORDS_OF_STACK; n++)
		hash = mix(hash, words[n]);
	return hash;
}

/* What the registers point to: an interpreter's state lives there, and so does what its loop changes. */
static __always_inline __u64 hash_memory(const struct user_registers *regs)
{
	const __u64 *general = (const __u64 *)regs;
	__u64 behind[WORDS_BEHIND_POINTER];
	__u64 hash = 1;

	for (int i = 0; i < GENERAL_REGISTERS; i++) {
		if (general[i] < POINTER_LOW || general[i] >= POINTER_HIGH)
			continue;
		if (bpf_probe_read_user(behind, sizeof(behind), (void *)general[i]))
			continue;
		for (int n = 0; n < WORDS_BEHIND_POINTER; n++)
			hash = mix(hash, behind[n]);
	}
	/* Locals lie above the stack pointer, below it in functions that call none, or below the frame. */
	hash = hash_bytes(hash, user_sp(regs));
	hash = hash_bytes(hash, user_sp(regs) - STACK_BYTES);
	return hash_bytes(hash, user_frame(regs) - STACK_BYTES);
}

static __always_inline void note_program(struct spin_sample *sample,
					 const struct user_registers *regs)
{
	sample->place = SPIN_IN_PROGRAM;
	sample->word[SPIN_REGISTERS_HASH] = hash_registers(regs);
	sample->word[SPIN_MEMORY_HASH] = hash_memory(regs);
	sample->word[SPIN_BEHIND_CALL] = behind_call(regs);
	sample->word[SPIN_CALL_RESULT] = call_result(regs);
}

enum wait_clock { WAIT_RELATIVE, WAIT_MONOTONIC, WAIT_REALTIME, WAIT_OTHER };

/* What the time of a call that may wait is counted from. */
static __always_inline enum wait_clock clock_of(__u32 number, const struct user_registers *regs)
{
	__u64 command;

	if (number == CALL_CLOCK_NANOSLEEP && (call_argument(regs, 1) & TIMER_ABSTIME)) {
		if (call_argument(regs, 0) == CLOCK_MONOTONIC)
			return WAIT_MONOTONIC;
		return call_argument(regs, 0) == CLOCK_REALTIME ? WAIT_REALTIME : WAIT_OTHER;
	}
	if (number != CALL_FUTEX)
		return WAIT_RELATIVE;
	command = call_argument(regs, 1);
	if ((command & FUTEX_COMMAND) == FUTEX_WAIT_BITSET)
		return command & FUTEX_CLOCK_REALTIME ? WAIT_REALTIME : WAIT_MONOTONIC;
	/* The others have something else than a time there. */
	return (command & FUTEX_COMMAND) == FUTEX_WAIT ? WAIT_RELATIVE : WAIT_OTHER;
}

static __always_inline __u64 timeout_of(__u32 number, const struct user_registers *regs)
{
	struct {
		__u64 seconds, nanoseconds;
	} timespec;
	enum wait_clock clock = clock_of(number, regs);
	__u64 now_ns, pointer, timeout_ns;
	__u8 place;

	if (number >= SPIN_CALL_NUMBERS_MAX || is_32bit(regs) || clock == WAIT_OTHER)
		return SPIN_NO_TIMEOUT;
	/* The verifier sees a bound only where clang cannot prove it superfluous. */
	asm volatile("" : "+r"(number));
	place = timespec_argument[number & (SPIN_CALL_NUMBERS_MAX - 1)];
	if (!place)
		return SPIN_NO_TIMEOUT;
	pointer = call_argument(regs, place - 1);
	if (!pointer || bpf_probe_read_user(&timespec, sizeof(timespec), (void *)pointer))
		return SPIN_NO_TIMEOUT;
	timeout_ns = timespec.seconds * NSEC_PER_SEC + timespec.nanoseconds;
	if (clock == WAIT_RELATIVE)
		return timeout_ns;
	now_ns = bpf_ktime_get_ns() + (clock == WAIT_REALTIME ? realtime_offset_ns : 0);
	return timeout_ns > now_ns ? timeout_ns - now_ns : 0;
}

/* Up to the first zero byte: behind a path lies whatever was there before. */
static __always_inline __u64 hash_argument(__u64 hash, __u64 argument)
{
	__u64 words[WORDS_OF_STACK] = {};

	if (argument < POINTER_LOW || argument >= POINTER_HIGH)
		return hash;
	if (bpf_probe_read_user_str(words, sizeof(words), (void *)argument) < 0)
		return hash;
	for (int n = 0; n < WORDS_OF_STACK; n++)
		hash = mix(hash, words[n]);
	return hash;
}

static __always_inline void note_call(struct spin_sample *sample, const struct user_registers *regs)
{
	sample->place = SPIN_IN_CALL;
	sample->call = (__u32)call_number(regs);
	for (int i = 0; i < SPIN_ARGUMENTS; i++)
		sample->word[i] =
			is_32bit(regs) ? call_argument32(regs, i) : call_argument(regs, i);
	sample->word[SPIN_RESULT] = call_result(regs);
	sample->word[SPIN_TIMEOUT_NS] = timeout_of(sample->call, regs);
	sample->word[SPIN_CONTENT_HASH] =
		hash_argument(hash_argument(1, sample->word[0]), sample->word[1]);
}

SEC("perf_event")
int wf_spin_sample(struct bpf_perf_event_data *context)
{
	__u32 number = (__u32)bpf_get_attach_cookie(context);
	struct spin_record *record = bpf_map_lookup_elem(&spin_records, &number);
	struct task_struct *task = bpf_get_current_task_btf();
	struct user_registers regs;
	struct spin_sample *sample;
	__u32 at;

	if (!record)
		return 0;
	if (bpf_probe_read_kernel(&regs, sizeof(regs), (void *)bpf_task_pt_regs(task)))
		return 0;
	record->tid = (__u32)bpf_get_current_pid_tgid();
	record->is_32bit = is_32bit(&regs);
	at = record->count++;
	if (at >= SPIN_SAMPLES_MAX)
		return 0;
	sample = &record->sample[at & (SPIN_SAMPLES_MAX - 1)];
	sample->ip = user_ip(&regs);
	/* The context begins with the registers that were interrupted, the kernel's own perhaps. */
	if (interrupted_user((const volatile struct user_registers *)context))
		note_program(sample, &regs);
	else if (has_program(&regs) && call_number(&regs) >= 0)
		note_call(sample, &regs);
	else
		sample->place = SPIN_IN_KERNEL;
	return 0;
}
