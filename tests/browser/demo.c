/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with sections worth looking at: demo [ijk|ikj]. The order of the
 * loops changes what the caches do, so two runs of it differ.
 */
#include <hpm.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define N       64
#define LENGTH  20000
#define THREADS 4

static double a[N][N], b[N][N], c[N][N];
static double x[LENGTH], y[LENGTH];

static void fill(void)
{
	hpmStart(2, "fill");
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			a[i][k] = i + 0.5 * k;
			b[i][k] = i - 0.5 * k;
			c[i][k] = 0;
		}
	hpmStop(2);
}

static void multiply_ijk(void)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i][j] += a[i][k] * b[k][j];
}

static void multiply_ikj(void)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++)
				c[i][j] += a[i][k] * b[k][j];
}

static void multiply(const char *order)
{
	hpmStart(3, "multiply");
	if (strcmp(order, "ikj") == 0)
		multiply_ikj();
	else
		multiply_ijk();
	hpmStop(3);
}

static void *share(void *which)
{
	int first = *(int *)which * (LENGTH / THREADS);

	hpmTstart(5, "share of a thread");
	for (int i = first; i < first + LENGTH / THREADS; i++)
		y[i] = 3 * x[i] + y[i];
	hpmTstop(5);
	return NULL;
}

static void triad(void)
{
	pthread_t threads[THREADS];
	int which[THREADS];

	hpmStart(4, "triad <all threads>");
	for (int i = 0; i < THREADS; i++) {
		which[i] = i;
		pthread_create(&threads[i], NULL, share, &which[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	hpmStop(4);
}

int main(int argc, char **argv)
{
	const char *order = argc > 1 ? argv[1] : "ijk";

	hpmInit(0, "demo");
	hpmStart(1, "main loop");
	for (int step = 0; step < 3; step++) {
		fill();
		multiply(order);
		triad();
	}
	hpmStop(1);
	hpmTerminate(0);
	printf("%.1f %.1f\n", c[N / 2][N / 2], y[LENGTH / 2]);
	return 0;
}
