/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * A task's registers in user mode as the kernel keeps them at the top of its stack. The layouts are
 * part of the kernel's ABI (ptrace), so nothing is relocated and no BTF is needed to load.
 */
#ifndef REGISTERS_BPF_H
#define REGISTERS_BPF_H

#if defined(__TARGET_ARCH_x86)

struct user_registers {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax;
	__u64 ip, cs, flags, sp, ss;
};

#define GENERAL_REGISTERS 15 /* r15 … di */
#define USER_CS32 0x23

#define user_ip(regs) ((regs)->ip)
#define user_sp(regs) ((regs)->sp)
#define user_frame(regs) ((regs)->bp)
#define is_32bit(regs) ((regs)->cs == USER_CS32)
/* -1: not in a system call (an interrupt, an exception). */
#define call_number(regs) ((__s64)(regs)->orig_ax)
#define call_argument(regs, n)                                                                     \
	((n) == 0   ? (regs)->di                                                                   \
	 : (n) == 1 ? (regs)->si                                                                   \
	 : (n) == 2 ? (regs)->dx                                                                   \
	 : (n) == 3 ? (regs)->r10                                                                  \
	 : (n) == 4 ? (regs)->r8                                                                   \
		    : (regs)->r9)
#define call_argument32(regs, n)                                                                   \
	((n) == 0   ? (regs)->bx                                                                   \
	 : (n) == 1 ? (regs)->cx                                                                   \
	 : (n) == 2 ? (regs)->dx                                                                   \
	 : (n) == 3 ? (regs)->si                                                                   \
	 : (n) == 4 ? (regs)->di                                                                   \
		    : (regs)->bp)
#define call_result(regs) ((regs)->ax)
/* `syscall` leaves the address behind it in cx. */
#define behind_call(regs) ((regs)->cx)
#define interrupted_user(sampled) (((sampled)->cs & 3) == 3)
/* Threads that the kernel made, even in a process (io_uring), have no program. */
#define has_program(regs) (((regs)->cs & 3) == 3 && (regs)->ip)

#elif defined(__TARGET_ARCH_arm64)

struct user_registers {
	__u64 x[31], sp, pc, pstate, orig_x0;
	__s32 syscallno;
	__u32 unused;
};

#define GENERAL_REGISTERS 31
#define PSTATE_MODE_32BIT 0x10

#define user_ip(regs) ((regs)->pc)
#define user_sp(regs) ((regs)->sp)
#define user_frame(regs) ((regs)->x[29])
#define is_32bit(regs) (((regs)->pstate & PSTATE_MODE_32BIT) != 0)
#define call_number(regs) ((__s64)(regs)->syscallno)
#define call_argument(regs, n) ((n) == 0 ? (regs)->orig_x0 : (regs)->x[n])
#define call_argument32(regs, n) call_argument(regs, n)
#define call_result(regs) ((regs)->x[0])
#define behind_call(regs) 0 /* no register says so */
#define interrupted_user(sampled) (((sampled)->pstate & 0xf) == 0)
#define has_program(regs) ((regs)->pc != 0)

#else
#error "no layout of the registers for this architecture"
#endif

#endif /* REGISTERS_BPF_H */
