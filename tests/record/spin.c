/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads that work, each in a function of its own, until input ends. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long sink;
static volatile int over;

__attribute__((noinline, noipa)) static void burn(void)
{
	for (int i = 0; i < 100000; i++)
		sink += (unsigned long)i;
}

__attribute__((noinline, noipa)) static void first_work(void)
{
	while (!over)
		burn();
}

__attribute__((noinline, noipa)) static void second_work(void)
{
	while (!over)
		burn();
}

static void *first(void *unused)
{
	first_work();
	return unused;
}

static void *second(void *unused)
{
	second_work();
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	char byte;

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		continue;
	over = 1;
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
