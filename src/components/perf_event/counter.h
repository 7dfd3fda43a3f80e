/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU's instructions that read its counters and its clock. Where there are
 * none both are 0, and nothing asks for them.
 */
#pragma once

#include <stdint.h>

#if defined(__x86_64__)

static inline uint64_t pe_counter_read(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return low | (uint64_t)high << 32;
}

static inline uint64_t pe_counter_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return low | (uint64_t)high << 32;
}

#elif defined(__aarch64__)

#define CASE(n)                                                                \
	case n:                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));  \
		break

/* @index 31 is the cycle counter [arch/arm64, ARMV8_PMU_CYCLE_IDX_USER]. */
static inline uint64_t pe_counter_read(uint32_t index)
{
	uint64_t value = 0;

	switch (index) {
		CASE(0);
		CASE(1);
		CASE(2);
		CASE(3);
		CASE(4);
		CASE(5);
		CASE(6);
		CASE(7);
		CASE(8);
		CASE(9);
		CASE(10);
		CASE(11);
		CASE(12);
		CASE(13);
		CASE(14);
		CASE(15);
		CASE(16);
		CASE(17);
		CASE(18);
		CASE(19);
		CASE(20);
		CASE(21);
		CASE(22);
		CASE(23);
		CASE(24);
		CASE(25);
		CASE(26);
		CASE(27);
		CASE(28);
		CASE(29);
		CASE(30);
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	default:
		break;
	}
	return value;
}
#undef CASE

static inline uint64_t pe_counter_clock(void)
{
	uint64_t value;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value)::"memory");
	return value;
}

#else

static inline uint64_t pe_counter_read(uint32_t index)
{
	(void)index;
	return 0;
}

static inline uint64_t pe_counter_clock(void)
{
	return 0;
}

#endif
