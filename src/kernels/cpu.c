/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this processor can execute, asked where the kernel is to run: under
 * the simulator it is less than the machine can.
 */
#include "kernels/kernel.h"

#include "kernels/gpu/driver.h"

#if defined(__x86_64__)
static bool has(enum kernel_needs need)
{
	switch (need) {
	case NEEDS_AVX:
		return __builtin_cpu_supports("avx");
	case NEEDS_AVX2:
		return __builtin_cpu_supports("avx2");
	case NEEDS_FMA:
		return __builtin_cpu_supports("fma");
	case NEEDS_AVX512:
		return __builtin_cpu_supports("avx512f");
	case NEEDS_POPCNT:
		return __builtin_cpu_supports("popcnt");
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
