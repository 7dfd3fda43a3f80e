/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where things lie in the process, and the offsets of struct thread that
 * assembly and translated code use. For C and for the assembler.
 *
 * All executable code of the guest, and all that translated code refers to, is
 * kept in the low 2 GB: operands relative to the instruction pointer still
 * reach their target from the cache, and addresses fit 32-bit immediates.
 */
#pragma once

/* Images and libraries of the guest, from an address that nobody asks for. */
#define LOW_FIRST      0x2a310000
#define LOW_LAST       0x5ff00000
#define CACHE_BASE     0x60000000 /* translations */
#define CACHE_END      0x68000000
#define STUB_BASE      0x68000000 /* what is rarely run: exits not yet linked */
#define STUB_END       0x6b000000
#define COUNTDOWN      0x6b000000 /* uint32_t a block: runs until it is hot */
#define LAST_TARGET    0x6c000000 /* uint64_t a block: of its indirect branch */
#define TARGETS        0x6e000000 /* where indirect branches go, by low bits */
#define TARGETS_PAUSED 0x6e100000 /* the same for code that is not counted */
#define TARGETS_ARMED  0x6e200000 /* and for code that tests traps */

/* What else is the guest's. These are addresses that programs expect of a
 * kernel: ThreadSanitizer knows none between its heap, which ends at
 * 0x7c0000000000, and 0x7e8000000000. The kernel chooses by chance, with 28
 * bits, from 0x7efb00000000 on. */
#define HEAP_FIRST  0x7e8000000000
#define HEAP_LAST   0x7e9000000000
#define MAP_FIRST   0x7e9000000000
#define MAP_LAST    0x7ee000000000 /* the stack has the 64 GB above */
#define MAP_LARGEST 0x1000000000
#define STACK_LAST  0x7eeffffff000
#define FAR_FIRST   0x110000000000 /* what is larger, or finds no place */
#define FAR_LAST    0x500000000000

/* What else is the engine's: where a kernel puts programs that can be anywhere.
 * ThreadSanitizer maps over what is not a program's. */
#define OWN_FIRST    0x550000000000
#define OWN_LAST     0x568000000000

#define MAX_BLOCKS   1000000
#define MAX_COUNTERS (1 << 22)
#define MAX_EXITS    (1 << 22)

/* struct thread, from %gs */
#define T_REG     0x00 /* 16 registers, in the order of their encoding */
#define T_FLAGS   0x80
#define T_PC      0x88
#define T_SPILL0  0x90
#define T_SPILL1  0x98
#define T_SPILL2  0xa0
#define T_TARGET  0xa8
#define T_EXIT    0xb0
#define T_STACK   0xb8
#define T_SELF    0xc0
#define T_PENDING 0xc8
#define T_HELD    0xd0 /* a register that a record's address is in */
#define T_LOG     0xd8 /* where the next record of the log goes */
#define T_PAUSED  0xe0 /* stack pointer at the start of a pause; 0: none */
#define T_LEFT    0xe8 /* until each trap fires */

/* Why the cache was left; else the number of an exit that is not linked. */
#define EXIT_SYSCALL  0x80000000
#define EXIT_INDIRECT 0x40000000
#define EXIT_RESUME   0x20000000 /* after rt_sigreturn */
#define EXIT_HOT      0x10000000 /* and the block's number */
#define EXIT_KILLED   0x08000000 /* and the block's number */
#define EXIT_REQUEST  0x04000000
#define EXIT_REFUSED  0x02000000
#define EXIT_LOG      0x01000000 /* it is full; and the block's number */
#define EXIT_STEPPED  0x00800001 /* one instruction was run */
#define EXIT_NEAR     0x00400000 /* a trap; and the block's number */
#define EXIT_RETURN   0x00800000 /* from excluded code */

/* Result of guest_syscall() when a signal came first; no errno. */
#define SYSCALL_AGAIN (-9999)
