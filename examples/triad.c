/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * triad [MEGABYTES [SWEEPS]]: a[i] = b[i] + s * c[i] over three arrays of that
 * size together (default 48, 10 sweeps). Bound by memory bandwidth once the
 * arrays leave the caches: try 1 and 48.
 */
#include <stdio.h>
#include <stdlib.h>

static void triad(double *a, const double *b, const double *c, double s,
		  size_t n)
{
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] + s * c[i];
}

int main(int argc, char **argv)
{
	int megabytes = argc > 1 ? atoi(argv[1]) : 48;
	int sweeps = argc > 2 ? atoi(argv[2]) : 10;
	size_t n;
	double *a;

	if (megabytes < 1 || megabytes > 100000 || sweeps < 1) {
		fprintf(stderr, "usage: triad [MEGABYTES [SWEEPS]]\n");
		return 2;
	}
	n = (size_t)megabytes * 1024 * 1024 / (3 * sizeof(*a));
	a = malloc(3 * n * sizeof(*a));
	if (!a) {
		fprintf(stderr, "triad: out of memory\n");
		return 1;
	}
	for (size_t i = 0; i < 3 * n; i++)
		a[i] = (double)(i % 10);
	for (int k = 0; k < sweeps; k++)
		triad(a, a + n, a + 2 * n, 0.5 + k, n);
	printf("triad: %zu elements, %d sweeps, last %.1f\n", n, sweeps,
	       a[n - 1]);
	free(a);
	return 0;
}
