/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of the core: instructions that wait for each other, instructions
 * that do not, branches, stores. What they are made of is written in assembly
 * language, so that no compiler changes it.
 */
#include "workload/workload.h"

#if defined(__x86_64__)

#define FOUR(text)  text text text text
#define EIGHT(text) FOUR(text) FOUR(text)

/* One instruction on each of eight registers. */
#define ON_XMM(op)                                                             \
	op " %%xmm8, %%xmm0\n" op " %%xmm8, %%xmm1\n" op                       \
	   " %%xmm8, %%xmm2\n" op " %%xmm8, %%xmm3\n" op                       \
	   " %%xmm8, %%xmm4\n" op " %%xmm8, %%xmm5\n" op                       \
	   " %%xmm8, %%xmm6\n" op " %%xmm8, %%xmm7\n"
#define ON_INT(op)                                                             \
	op " %%r8, %%rax\n" op " %%r8, %%rdx\n" op " %%r8, %%rsi\n" op         \
	   " %%r8, %%rdi\n" op " %%r8, %%r9\n" op " %%r8, %%r10\n" op          \
	   " %%r8, %%r11\n" op " %%r8, %%r12\n"

/* What a kernel finds: 1.0 in xmm0 to xmm8, a number of many digits in xmm9,
 * the constants of a generator in r9 and r10, 3 in r8, 0 in rax. */
#define BEGIN                                                                  \
	"mov $1, %%eax\n"                                                      \
	"cvtsi2sd %%eax, %%xmm8\n"                                             \
	"xor %%eax, %%eax\n"                                                   \
	"movabs $0x3ff5eb851eb851ec, %%r9\n"                                   \
	"movq %%r9, %%xmm9\n"                                                  \
	"mov $3, %%r8d\n"                                                      \
	"movabs $0x5851f42d4c957f2d, %%r9\n"                                   \
	"mov $0x1405, %%r10d\n" ON_XMM("movapd")

/* @text, which may use all registers but rcx, rsp and rbx, over and over. */
#define KERNEL(name, text)                                                     \
	static void name(struct workload_run *run)                             \
	{                                                                      \
		uint64_t n = run->workload->times;                             \
		char *memory = run->memory;                                    \
                                                                               \
		__asm__ volatile(BEGIN ".p2align 6\n"                          \
				       "1:\n" text "dec %0\n"                  \
				       "jnz 1b\n"                              \
				 : "+c"(n)                                     \
				 : "b"(memory)                                 \
				 : "rax", "rdx", "rsi", "rdi", "r8", "r9",     \
				   "r10", "r11", "r12", "r13", "r14", "r15",   \
				   "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",     \
				   "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",     \
				   "xmm10", "xmm11", "memory", "cc");          \
	}

KERNEL(latency_add, EIGHT("add %%r8, %%rax\n"))
KERNEL(latency_mul, EIGHT("imul %%r8, %%rax\n"))
KERNEL(latency_lea, EIGHT("lea 1(%%rax,%%r8), %%rax\n"))
KERNEL(latency_shift, EIGHT("shl $1, %%rax\n"))
KERNEL(latency_div, FOUR("xor %%edx, %%edx\n"
			 "div %%r8d\n"
			 "or $0x40000000, %%eax\n"))
KERNEL(latency_fadd, EIGHT("addsd %%xmm8, %%xmm0\n"))
KERNEL(latency_fmul, EIGHT("mulsd %%xmm8, %%xmm0\n"))
/* with results of many digits: some processors are done sooner with others */
KERNEL(latency_fdiv, FOUR("divsd %%xmm9, %%xmm0\nmulsd %%xmm9, %%xmm0\n"))
KERNEL(latency_sqrt, FOUR("sqrtsd %%xmm0, %%xmm0\nmulsd %%xmm9, %%xmm0\n"))
KERNEL(rate_add, ON_INT("add") ON_INT("add"))
KERNEL(rate_mul, ON_INT("imul"))
KERNEL(rate_fadd, ON_XMM("addsd") ON_XMM("addsd"))
KERNEL(rate_fmul, ON_XMM("mulsd") ON_XMM("mulsd"))
KERNEL(rate_vec, ON_XMM("paddd") ON_XMM("pxor"))
KERNEL(rate_fdiv, ON_XMM("divsd"))
KERNEL(rate_move, ON_INT("mov %%r8, %%r13\nadd") ON_INT("mov %%r8, %%r14\nadd"))
KERNEL(rate_mixed,
       "add %%r8, %%rax\nmov (%%rbx), %%rdx\npaddd %%xmm8, %%xmm0\n"
       "add %%r8, %%rsi\nmov 8(%%rbx), %%rdi\npaddd %%xmm8, %%xmm1\n"
       "add %%r8, %%r9\nmov 16(%%rbx), %%r10\npaddd %%xmm8, %%xmm2\n"
       "add %%r8, %%r11\nmov 24(%%rbx), %%r12\n"
       "paddd %%xmm8, %%xmm3\n")
KERNEL(rate_load, EIGHT("mov (%%rbx), %%rax\nmov 64(%%rbx), %%rdx\n"))
KERNEL(rate_store, EIGHT("mov %%r8, (%%rbx)\nmov %%r8, 8(%%rbx)\n"))
KERNEL(forward, FOUR("mov %%rax, 128(%%rbx)\nmov 128(%%rbx), %%rax\n"))
KERNEL(add_to_memory, FOUR("add %%r8, 128(%%rbx)\n"))
/* a loop of two instructions: the taken branch is what limits it */
KERNEL(loop_small, "add %%r8, %%rax\n")
KERNEL(jumps, EIGHT("jmp 2f\n.p2align 4\n2:\n"))
KERNEL(not_taken, "test %%r8, %%r8\n" EIGHT("jz 3f\nadd $1, %%rax\n") "3:\n")
KERNEL(calls, FOUR("call 4f\n") "jmp 5f\n4: add $1, %%rax\nret\n5:\n")
/* taken by the highest bit of a generator: nobody can predict it */
KERNEL(random_branch, "imul %%r9, %%rax\nadd %%r10, %%rax\ntest %%rax, %%rax\n"
		      "js 6f\nadd $1, %%rsi\n6:\n")

#define ROW(name_, part_, times_, run_, text_)                                 \
	{                                                                      \
		.name = name_, .text = text_, .part = part_, .times = times_,  \
		.bytes = 4096, .run = run_                                     \
	}

static const struct workload rows[] = {
	ROW("latency/add", PART_UNITS, 400000, latency_add,
	    "dependent integer additions"),
	ROW("latency/lea", PART_UNITS, 400000, latency_lea,
	    "dependent address computations (lea) of three operands"),
	ROW("latency/shift", PART_UNITS, 400000, latency_shift,
	    "dependent shifts"),
	ROW("latency/mul", PART_UNITS, 150000, latency_mul,
	    "dependent integer multiplications"),
	ROW("latency/div", PART_UNITS, 80000, latency_div,
	    "dependent 32-bit divisions"),
	ROW("latency/fadd", PART_UNITS, 150000, latency_fadd,
	    "dependent double-precision additions"),
	ROW("latency/fmul", PART_UNITS, 150000, latency_fmul,
	    "dependent double-precision multiplications"),
	ROW("latency/fdiv", PART_UNITS, 80000, latency_fdiv,
	    "dependent double-precision divisions and multiplications"),
	ROW("latency/sqrt", PART_UNITS, 50000, latency_sqrt,
	    "dependent square roots and multiplications"),
	ROW("rate/add", PART_UNITS, 600000, rate_add,
	    "independent integer additions"),
	ROW("rate/mul", PART_UNITS, 400000, rate_mul,
	    "independent integer multiplications"),
	ROW("rate/fadd", PART_UNITS, 400000, rate_fadd,
	    "independent double-precision additions"),
	ROW("rate/fmul", PART_UNITS, 400000, rate_fmul,
	    "independent double-precision multiplications"),
	ROW("rate/vec", PART_UNITS, 400000, rate_vec,
	    "independent vector integer operations"),
	ROW("rate/fdiv", PART_UNITS, 80000, rate_fdiv,
	    "independent double-precision divisions"),
	ROW("rate/move", PART_ISSUE, 300000, rate_move,
	    "register moves and additions, alternating"),
	ROW("rate/mixed", PART_ISSUE, 800000, rate_mixed,
	    "additions, loads and vector operations, alternating"),
	ROW("rate/load", PART_L1, 500000, rate_load, "loads that hit"),
	ROW("rate/store", PART_STORE, 300000, rate_store, "stores to one line"),
	ROW("store/forward", PART_STORE, 200000, forward,
	    "a value stored and loaded back, repeatedly"),
	ROW("store/add", PART_STORE, 200000, add_to_memory,
	    "additions to one memory location"),
	ROW("branch/loop", PART_BRANCH, 3000000, loop_small,
	    "a loop of two instructions"),
	ROW("branch/jump", PART_BRANCH, 300000, jumps,
	    "jumps to the next 16 bytes"),
	ROW("branch/not-taken", PART_BRANCH, 500000, not_taken,
	    "conditional branches that are never taken"),
	ROW("branch/call", PART_BRANCH, 300000, calls,
	    "calls of a function of two instructions"),
	ROW("branch/random", PART_BRANCH, 300000, random_branch,
	    "a branch with a random outcome"),
};

const struct workload_table workload_units = WORKLOAD_TABLE(rows);

#endif
