/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sharing together|apart [main|meet|pool|heap]: two threads count, in one line
 * or in two. They do not wait for each other. With main, the first thread of
 * the process is one of the two; with meet, they wait for each other, awake;
 * with pool, they sleep until they are told to begin; with heap, lines are of a
 * block that was allocated.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COUNTS 400000L

static _Alignas(64) long tallies[16];
static long *counters = tallies;
static int second; /* of the counters: which is the other thread's */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int may_begin = 1;
static int awaited; /* threads */

static void meet(void)
{
	__atomic_sub_fetch(&awaited, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&awaited, __ATOMIC_ACQUIRE) > 0)
		sched_yield();
}

static void await_begin(void)
{
	pthread_mutex_lock(&mutex);
	while (!may_begin)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	meet();
}

static void begin(void)
{
	const struct timespec moment = { 0, 20000000 };

	nanosleep(&moment, NULL);
	pthread_mutex_lock(&mutex);
	may_begin = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *count_first(void *unused)
{
	volatile long *counter = &counters[0];

	await_begin();
	for (long i = 0; i < COUNTS; i++)
		(*counter)++;
	return unused;
}

static void *count_second(void *unused)
{
	volatile long *counter = &counters[second];

	await_begin();
	for (long i = 0; i < COUNTS; i++)
		(*counter)++;
	return unused;
}

/* Whichever C library this is: none of it rules another engine out. */
static void ask_as_libraries_do(void)
{
	char path[256];

	(void)!readlinkat(AT_FDCWD, "/proc/self/exe", path, sizeof(path));
	(void)faccessat(AT_FDCWD, "/etc/ld.so.preload", R_OK, 0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	int uses_main = strcmp(how, "main") == 0;
	pthread_t a, b;

	ask_as_libraries_do();
	second = argc > 1 && strcmp(argv[1], "together") == 0 ? 1 : 8;
	may_begin = strcmp(how, "pool") != 0;
	awaited = strcmp(how, "meet") == 0 ? 2 : 0;
	if (strcmp(how, "heap") == 0)
		counters = aligned_alloc(64, sizeof(tallies));
	if (!uses_main)
		pthread_create(&a, NULL, count_first, NULL);
	pthread_create(&b, NULL, count_second, NULL);
	if (!may_begin)
		begin();
	if (uses_main)
		count_first(NULL);
	else
		pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
