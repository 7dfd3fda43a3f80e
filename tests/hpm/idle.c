/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Empty sections in a process that has more and more threads, all idle. Prints
 * for each number of threads what a pair of calls takes at least, in ns; the
 * sections are 10, 20, 30, 40 and so on, each tried five times: 10, 11, 12, ...
 */
#include <hpm.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define VISITS 2000
#define TRIES  5
#define PART   100 /* visits that are timed together */

static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
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

int main(void)
{
	static const int threads[] = { 0, 1, 64, 1000 };
	int have = 0;

	hpmInit(0, "idle");
	for (int i = 0; i < 4; i++) {
		long long least = 1000000000;

		if (add_threads(threads[i] - have)) {
			printf("%d threads cannot be made\n", threads[i]);
			break;
		}
		have = threads[i];
		for (int try = 0; try < TRIES; try++) {
			long long took = visit(10 * (i + 1) + try);

			least = took < least ? took : least;
		}
		printf("%d %lld\n", threads[i], least);
	}
	hpmTerminate(0);
	return 0;
}
