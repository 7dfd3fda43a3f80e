/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sections around loops of known length. The loop is assembly of 1 + 2 * n
 * instructions, so that what a section must report is known beforehand:
 *
 *   10  work(100)                       once a thread
 *   1   work(7), section 2, work(7)     CALLS times in the main thread, PART of
 *                                       that in the others
 *   2   work(5), section 3, work(5)
 *   3   work(9)
 *   20  work(7), section 21, work(7)    of the process, as often as in others
 *   21  work(9)
 *   30  all threads: at least what they do, and not much more
 */
#include <hpm.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 8
#define PART    50

/* A macro, so that nothing but these instructions stands in a section. */
#define WORK(n)                                                                \
	__asm__ volatile("mov $" #n ", %%ecx\n"                                \
			 "1: dec %%ecx\n"                                      \
			 "jnz 1b"                                              \
			 :                                                     \
			 :                                                     \
			 : "ecx", "cc")

static void nested(int calls)
{
	while (calls-- > 0) {
		hpmTstart(1, "outer");
		WORK(7);
		hpmTstart(2, "middle");
		WORK(5);
		hpmTstart(3, "inner");
		WORK(9);
		hpmTstop(3);
		WORK(5);
		hpmTstop(2);
		WORK(7);
		hpmTstop(1);
	}
}

static void *in_thread(void *calls)
{
	hpmTstart(10, "thread");
	WORK(100);
	hpmTstop(10);
	nested(*(int *)calls);
	return NULL;
}

static void of_process(int calls)
{
	while (calls-- > 0) {
		hpmStart(20, "process");
		WORK(7);
		hpmStart(21, "process, inner");
		WORK(9);
		hpmStop(21);
		WORK(7);
		hpmStop(20);
	}
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 1000;
	int part = calls / PART;
	pthread_t threads[THREADS];

	hpmInit(0, "exact");
	of_process(part);
	nested(calls);
	hpmStart(30, "threads");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, in_thread, &part);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	hpmStop(30);
	hpmTerminate(0);
	return 0;
}
