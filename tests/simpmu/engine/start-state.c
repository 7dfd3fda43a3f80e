/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Freestanding: writes to standard output what a program finds when it starts,
 * before it runs an instruction of its own: the stack pointer, what CPUID and
 * XGETBV answer, and the stack from there to its end. Run on an engine, it
 * tells how a single-stepped program must be started to behave the same.
 */
#include <stdint.h>

struct answer {
	uint32_t leaf, sub, a, b, c, d;
};

enum {
	SYS_WRITE = 1,
	SYS_EXIT = 60,
	LEAVES = 0x20,
	SUBS = 8,
	EXTENDED = 0x22,
	ANSWERS = LEAVES * SUBS + EXTENDED
};

static struct {
	uint64_t stack, xcr0, n;
	struct answer answers[ANSWERS];
} state;

static long call(long number, long a, const void *b, long c)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

static void ask(uint32_t leaf, uint32_t sub)
{
	struct answer *x = &state.answers[state.n++];

	x->leaf = leaf;
	x->sub = sub;
	__asm__ volatile("cpuid"
			 : "=a"(x->a), "=b"(x->b), "=c"(x->c), "=d"(x->d)
			 : "a"(leaf), "c"(sub));
}

__attribute__((used)) static void tell(const char *stack)
{
	uint32_t low = 0, high = 0;
	long wrote;

	state.stack = (uint64_t)stack;
	for (uint32_t leaf = 0; leaf < LEAVES; leaf++)
		for (uint32_t sub = 0; sub < SUBS; sub++)
			ask(leaf, sub);
	for (uint32_t leaf = 0; leaf < EXTENDED; leaf++)
		ask(0x80000000u + leaf, 0);
	if (state.answers[SUBS].c >> 27 & 1) /* OSXSAVE */
		__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	state.xcr0 = (uint64_t)high << 32 | low;
	call(SYS_WRITE, 1, &state, sizeof(state));
	do { /* the stack is aligned so, and so is its end */
		wrote = call(SYS_WRITE, 1, stack, 16);
		stack += wrote > 0 ? wrote : 0;
	} while (wrote > 0);
	call(SYS_EXIT, 0, 0, 0);
}

__asm__(".globl _start\n"
	"_start: mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call tell\n");
