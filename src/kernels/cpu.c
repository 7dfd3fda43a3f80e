/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this processor can execute, asked where the kernel is to run: under
 * the simulator it is less than the machine can.
 */
#include "kernels/kernel.h"

#include "kernels/gpu/driver.h"

#if defined(__x86_64__)
#include <cpuid.h>

/*
 * Asked by hand: __builtin_cpu_supports() asks for everything at the start of
 * each program that it is linked with, and in a virtual machine every question
 * is an exit to the hypervisor.
 */
struct answer {
	unsigned a, b, c, d;
};

static struct answer ask(unsigned leaf)
{
	struct answer r = { 0 };

	__get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
	return r;
}

/* Registers that the kernel saves, in XCR0 (SDM volume 1, 13.3). */
#define YMM_STATE 0x06
#define ZMM_STATE 0xe6

static bool saves(unsigned state)
{
	unsigned low, high;

	if (!(ask(1).c & bit_OSXSAVE))
		return false;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & state) == state;
}

static bool has_avx512(void)
{
	unsigned wanted = bit_AVX512F | bit_AVX512DQ;

	return (ask(7).b & wanted) == wanted && saves(ZMM_STATE);
}

static bool has(enum kernel_needs need)
{
	switch (need) {
	case NEEDS_AVX:
		return ask(1).c & bit_AVX && saves(YMM_STATE);
	case NEEDS_AVX2:
		return ask(7).b & bit_AVX2 && saves(YMM_STATE);
	case NEEDS_FMA:
		return ask(1).c & bit_FMA && saves(YMM_STATE);
	case NEEDS_AVX512:
		return has_avx512();
	case NEEDS_POPCNT:
		return ask(1).c & bit_POPCNT;
	case NEEDS_THREADS:
		return true;
	case NEEDS_GPU:
		return driver_is_there();
	}
	return false;
}
#else
static bool has(enum kernel_needs need)
{
	return need == NEEDS_THREADS ||
	       (need == NEEDS_GPU && driver_is_there());
}
#endif

unsigned kernel_lacks(unsigned needs)
{
	unsigned lacks = 0;

	for (unsigned bit = 1; bit <= needs; bit <<= 1)
		if (needs & bit && !has((enum kernel_needs)bit))
			lacks |= bit;
	return lacks;
}
