/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads in C. */

#include "machine/lab.h"

/* The compiler must believe that @x changes here. */
#define KEEP(x) __asm__ volatile("" : "+r"(x))

void loads_nothing(void *arg, uint64_t times)
{
	(void)arg;
	(void)times;
}

/* clang-format off */
#define ADD     a += b; KEEP(a);
#define ADD10   ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD100  ADD10 ADD10 ADD10 ADD10 ADD10 ADD10 ADD10 ADD10 ADD10 ADD10
#define ADD1000 ADD100 ADD100 ADD100 ADD100 ADD100 \
		ADD100 ADD100 ADD100 ADD100 ADD100
/* clang-format on */

void loads_ruler(void *arg, uint64_t times)
{
	uint64_t a = times, b = 3;

	(void)arg;
	KEEP(b); /* an addition of two registers: some processors do that of a
		    constant without executing it */
	do {
		ADD1000
	} while (--times > 0);
}

void loads_wide(void *arg, uint64_t times)
{
	uint64_t x[8] = { 0 };

	(void)arg;
	for (uint64_t n = times * LOAD_RULER_ADDS / 8; n > 0; n--) {
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++) {
			x[i] += n;
			KEEP(x[i]);
		}
	}
}

void loads_chase(void *arg, uint64_t times)
{
	void **start = arg;
	void *p = *start;

	do {
#pragma GCC unroll 16
		for (int i = 0; i < LOAD_CHASE_STEPS; i++) {
			p = *(void **)p;
			KEEP(p);
		}
	} while (--times > 0);
	*start = p;
}

void loads_branches(void *arg, uint64_t times)
{
	const uint32_t *words = *(const uint32_t **)arg;
	uint64_t sum = 0;

	do {
		uint32_t word = *words++;

#pragma GCC unroll 31
		for (int i = 0; i < LOAD_BRANCHES; i++) {
			KEEP(word);
			if (word & 1U << i)
				KEEP(sum);
			else
				sum++;
		}
	} while (--times > 0);
	KEEP(sum);
}

void loads_pages(void *arg, uint64_t times)
{
	const struct load_pages *pages = arg;
	const size_t spacing = pages->spacing;

	for (; times > 0; times--) {
		const char *at = pages->from;

		for (size_t n = pages->n; n > 0; n -= LOAD_PAGES_STEPS) {
#pragma GCC unroll 4
			for (size_t i = 0; i < LOAD_PAGES_STEPS; i++)
				(void)*(const volatile char *)(at +
							       i * spacing);
			at += LOAD_PAGES_STEPS * spacing;
			KEEP(at);
		}
	}
}
