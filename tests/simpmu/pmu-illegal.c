/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends by an instruction that the simulator's engine does not know: one of
 * AVX-512 (vpxord %zmm0, %zmm0, %zmm0). */
#include <stdio.h>

int main(void)
{
	puts("before");
	fflush(stdout);
	__asm__ volatile(".byte 0x62, 0xf1, 0x7d, 0x48, 0xef, 0xc0");
	puts("after");
	return 0;
}
