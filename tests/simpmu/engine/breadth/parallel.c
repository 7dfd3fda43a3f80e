/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP: loops, reductions, tasks. */
#include <stdio.h>

static long fib(int n)
{
	long a, b;

	if (n < 12)
		return n < 2 ? n : fib(n - 1) + fib(n - 2);
#pragma omp task shared(a)
	a = fib(n - 1);
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
	static double x[100000];
	double sum = 0;
	long f = 0;

#pragma omp parallel for
	for (int i = 0; i < 100000; i++)
		x[i] = i % 7;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 100000; i++)
		sum += x[i];
#pragma omp parallel
#pragma omp single
	f = fib(20);
	printf("%.0f %ld\n", sum, f);
	return 0;
}
