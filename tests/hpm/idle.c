/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Empty sections in a process that has more and more threads, all idle. Prints
 * for each number of threads the minimum cost of a pair of calls, in ns. The
 * argument says how often each is tried: sections 100, 101, ..., 200, 201, ...
 */
#include <hpm.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define VISITS 2000
#define PART   100 /* visits that are timed together */

static int waiting;

static void *wait_for_ever(void *unused)
{
	__atomic_add_fetch(&waiting, 1, __ATOMIC_RELEASE);
	pause();
	return unused;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* What threads execute before they wait is the process's, too. */
static void await_threads(int n)
{
	while (__atomic_load_n(&waiting, __ATOMIC_ACQUIRE) < n)
		usleep(1000);
	usleep(50000);
}

static int add_threads(int n)
{
	pthread_attr_t small;
	pthread_t thread;
	int err = pthread_attr_init(&small);

	pthread_attr_setstacksize(&small, 65536);
	while (n-- > 0 && !err)
		err = pthread_create(&thread, &small, wait_for_ever, NULL);
	pthread_attr_destroy(&small);
	return err;
}

/* The least that a pair takes on average of PART. */
static long long visit(int id)
{
	long long least = 1000000000;

	for (int i = 0; i < VISITS; i += PART) {
		long long took = now_ns();

		for (int k = 0; k < PART; k++) {
			hpmStart(id, "empty");
			hpmStop(id);
		}
		took = now_ns() - took;
		if (took < least)
			least = took;
	}
	return least / PART;
}

int main(int argc, char **argv)
{
	static const int threads[] = { 0, 1, 64, 1000 };
	int tries = argc > 1 ? atoi(argv[1]) : 5;
	int have = 0;

	hpmInit(0, "idle");
	for (int i = 0; i < 4; i++) {
		long long least = 1000000000;

		if (add_threads(threads[i] - have)) {
			printf("%d threads cannot be made\n", threads[i]);
			break;
		}
		have = threads[i];
		await_threads(have);
		for (int try = 0; try < tries; try++) {
			long long took = visit(100 * (i + 1) + try);

			least = took < least ? took : least;
		}
		printf("%d %lld\n", threads[i], least);
	}
	hpmTerminate(0);
	return 0;
}
