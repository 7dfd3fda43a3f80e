/* SPDX-License-Identifier: BSD-3-Clause */
/* The processor's clock; see ruler.h. */

#include "workload/ruler.h"

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define ADDITIONS 400000
#define PATIENCE  8 /* chains, for one that is not interrupted */

double ruler_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* How often this thread was put off the CPU. */
static long switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return usage.ru_nivcsw + usage.ru_nvcsw;
}

/* An addition a cycle, as far as is known of any processor. */
static void additions(uint64_t n)
{
	uint64_t x = 1;

	for (; n > 0; n -= 8) {
#if defined(__x86_64__)
		__asm__ volatile("add %0, %0\nadd %0, %0\nadd %0, %0\n"
				 "add %0, %0\nadd %0, %0\nadd %0, %0\n"
				 "add %0, %0\nadd %0, %0\n"
				 : "+r"(x));
#else
		for (int i = 0; i < 8; i++) {
			x += x;
			__asm__ volatile("" : "+r"(x));
		}
#endif
	}
}

double ruler_ns(void)
{
	double ns = 0;

	for (int i = 0; i < PATIENCE; i++) {
		long put_off = switches();
		double before = ruler_cpu_ns();

		additions(ADDITIONS);
		ns = (ruler_cpu_ns() - before) / ADDITIONS;
		if (switches() == put_off)
			break;
	}
	return ns;
}

#define WIDE_ROUNDS 2000
#define WIDE_EACH   8
#define SLOWER      1.15

/* Nanoseconds for as many additions as additions(), which do not wait. */
static double wide_ns(void)
{
	uint64_t x[WIDE_EACH] = { 0 };
	double before = ruler_cpu_ns();

	for (unsigned n = WIDE_ROUNDS; n > 0; n--) {
#pragma GCC unroll 8
		for (int i = 0; i < WIDE_EACH; i++) {
			x[i] += n;
			__asm__ volatile("" : "+r"(x[i]));
		}
	}
	return ruler_cpu_ns() - before;
}

bool ruler_is_alone(void)
{
	static double best;
	double chain, share;

	chain = ruler_cpu_ns();
	additions(WIDE_ROUNDS * WIDE_EACH);
	chain = ruler_cpu_ns() - chain;
	share = wide_ns() / chain;
	if (best == 0 || share < best)
		best = share;
	return share < best * SLOWER;
}

#define CONFIRM 2 /* further values ... */
#define NEAR    1.02

double ruler_least(const double *sorted, size_t n)
{
	for (size_t i = 0; i + CONFIRM < n; i++)
		if (sorted[i + CONFIRM] <= NEAR * sorted[i])
			return sorted[i];
	return sorted[n / 4]; /* all are far apart */
}
