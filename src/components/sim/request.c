/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sequence by which a program speaks to Valgrind: four rotations of rdi
 * that add up to two full turns, then a marker that changes nothing. rax
 * holds the address of the request and rdx the answer. The sequence is part
 * of Valgrind's published interface (valgrind.h) and does not change.
 */
#include "components/sim/request.h"

#if defined(__x86_64__)

int sim_request(enum wire_request code, uint64_t first, uint64_t second)
{
	volatile uint64_t block[6] = { (uint64_t)code, first, second };
	uint64_t answer = 0;

	__asm__ volatile("rolq $3, %%rdi\n\t"
			 "rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi\n\t"
			 "rolq $51, %%rdi\n\t"
			 "xchgq %%rbx, %%rbx"
			 : "+d"(answer)
			 : "a"(&block[0])
			 : "cc", "memory");
	return (int)answer;
}

#else

int sim_request(enum wire_request code, uint64_t first, uint64_t second)
{
	(void)code;
	(void)first;
	(void)second;
	return 0;
}

#endif
