/* SPDX-License-Identifier: BSD-3-Clause */
/* many-threads N: N threads that are all there at the same time, take turns
 * at a lock, wait for each other at a barrier, and each keep their own sum. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* total */
static pthread_barrier_t barrier;
static unsigned long total;
static __thread unsigned long own;

static void *work(void *number)
{
	unsigned long n = (unsigned long)number;

	for (unsigned long i = 0; i < 1000; i++)
		own += i * n;
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&lock);
	total += own;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&barrier);
	return number;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 10, back = 0;
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&barrier, NULL, (unsigned)n);
	for (unsigned long i = 0; i < n; i++)
		if (pthread_create(&threads[i], &small, work, (void *)i))
			return 1;
	for (unsigned long i = 0; i < n; i++) {
		void *result;

		pthread_join(threads[i], &result);
		back += (unsigned long)result;
	}
	printf("%lu %lu\n", total, back);
	free(threads);
	return 0;
}
