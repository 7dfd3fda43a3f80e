/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * matmul [N [ORDER]]: C = A * B for N x N doubles (default 240).
 *
 * With ORDER ijk (the default) the inner loop walks down a column of B, one
 * cache line an element; ikj does the same additions along rows. The counts
 * of instructions hardly differ, those of cache misses do:
 *
 *     assay count ./matmul 240 ijk
 *     assay count ./matmul 240 ikj
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrices {
	int n;
	double *a, *b, *c; /* by rows */
};

static void multiply_ijk(const struct matrices *m)
{
	int n = m->n;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;

			for (int k = 0; k < n; k++)
				sum += m->a[i * n + k] * m->b[k * n + j];
			m->c[i * n + j] = sum;
		}
}

static void multiply_ikj(const struct matrices *m)
{
	int n = m->n;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++)
				m->c[i * n + j] +=
					m->a[i * n + k] * m->b[k * n + j];
}

static double *matrix(int n, double seed)
{
	double *x = calloc((size_t)n * (size_t)n, sizeof(*x));

	for (int i = 0; x && i < n * n; i++)
		x[i] = seed + (i % 7) * 0.5;
	return x;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 240;
	const char *order = argc > 2 ? argv[2] : "ijk";
	struct matrices m = { .n = n };
	double trace = 0;

	if (n < 1 || n > 10000 ||
	    (strcmp(order, "ijk") != 0 && strcmp(order, "ikj") != 0)) {
		fprintf(stderr, "usage: matmul [N [ijk|ikj]]\n");
		return 2;
	}
	m.a = matrix(n, 1);
	m.b = matrix(n, 2);
	m.c = calloc((size_t)n * (size_t)n, sizeof(*m.c));
	if (!m.a || !m.b || !m.c) {
		fprintf(stderr, "matmul: out of memory\n");
		return 1;
	}
	(strcmp(order, "ijk") == 0 ? multiply_ijk : multiply_ikj)(&m);
	for (int i = 0; i < n; i++)
		trace += m.c[i * n + i];
	printf("matmul: %d x %d, order %s, trace %.1f\n", n, n, order, trace);
	free(m.a);
	free(m.b);
	free(m.c);
	return 0;
}
