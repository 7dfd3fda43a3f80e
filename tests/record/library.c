/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that is open for a short time only. */
#include <stdint.h>

void library_work(uint64_t n);

void library_work(uint64_t n)
{
	__asm__ volatile("1: dec %0\n nop\n jnz 1b\n" : "+r"(n) : : "cc");
}
