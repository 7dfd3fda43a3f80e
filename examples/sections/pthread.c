/* SPDX-License-Identifier: BSD-3-Clause */
/* POSIX threads: the same section in several of them. */
#include <hpm.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4

static void *work(void *argument)
{
	double *sum = (double *)argument;

	for (int round = 0; round < 5; round++) {
		hpmTstart(2, "round");
		for (int i = 1; i < 10000; i++)
			*sum += 1.0 / i;
		hpmTstop(2);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	double sums[THREADS] = { 0 };

	hpmInit(0, "pthread");
	hpmStart(1, "threads");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &sums[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	hpmStop(1);
	hpmTerminate(0);
	printf("%.3f\n", sums[0]);
	return 0;
}
