/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sharing together|apart: two threads count, in one line or in two. They wait
 * for each other first, so that they run at the same time.
 */
#include <pthread.h>
#include <string.h>

#define COUNTS 3000000L

static struct {
	_Alignas(64) volatile long first;
	volatile long second;
	_Alignas(64) volatile long third;
} tallies;

static pthread_barrier_t barrier;

static void *count_first(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < COUNTS; i++)
		tallies.first++;
	return unused;
}

static void *count_second(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < COUNTS; i++)
		tallies.second++;
	return unused;
}

static void *count_third(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < COUNTS; i++)
		tallies.third++;
	return unused;
}

int main(int argc, char **argv)
{
	int together = argc > 1 && strcmp(argv[1], "together") == 0;
	pthread_t a, b;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&a, NULL, count_first, NULL);
	pthread_create(&b, NULL, together ? count_second : count_third, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
