/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a performance file of one section when it ends. */
#include <hpm.h>

int main(void)
{
	volatile long sum = 0;

	hpmInit(0, "fault");
	hpmStart(1, "loop");
	for (long i = 0; i < 1000; i++)
		sum = sum + i;
	hpmStop(1);
	hpmTerminate(0);
	return sum != 499500;
}
