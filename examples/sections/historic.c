/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls as programs have carried them since 2001, behind their own switch.
 * This file compiles as C and as C++.
 */
#define HPM
#ifdef HPM
#include "libhpm.h"
#endif
#include <stdio.h>

static double long_range(int n)
{
	double sum = 0;

	for (int i = 1; i <= n; i++)
		sum += 1.0 / i / i;
	return sum;
}

int main(void)
{
	int ThisTask = 0;
	double sum = 0;

#ifdef HPM
	hpmInit(ThisTask, "historic");
	hpmStart(1, "Total");
#endif
	for (int step = 0; step < 10; step++) {
#ifdef HPM
		hpmStart(2, "LongRange");
#endif
		sum += long_range(1000);
#ifdef HPM
		hpmStop(2);
#endif
	}
#ifdef HPM
	hpmStop(1);
	hpmTerminate(ThisTask);
#endif
	printf("%.3f\n", sum);
	return 0;
}
