/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of OpenMP: each one's share of a loop is a section of its own. */
#include <hpm.h>
#include <stdio.h>

#define N 100000

static double a[N];

int main(void)
{
	double sum = 0;

	hpmInit(0, "openmp");
	hpmStart(1, "all threads");
#pragma omp parallel num_threads(4) reduction(+ : sum)
	{
		hpmTstart(2, "share of a thread");
#pragma omp for nowait
		for (int i = 0; i < N; i++) {
			a[i] = 0.5 * i;
			sum += a[i];
		}
		hpmTstop(2);
	}
	hpmStop(1);
	hpmTerminate(0);
	printf("%.0f\n", sum);
	return 0;
}
