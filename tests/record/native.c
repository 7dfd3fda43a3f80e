/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of a thread and of a child, and 1000 faults in one function; with an
 * argument, 200 of them in the first thread and 80 in each of ten others.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES  1000
#define FIRST  200
#define OTHERS 80

static volatile unsigned long sink;

__attribute__((noinline, noipa)) static unsigned long burn(unsigned long n)
{
	unsigned long sum = 0;

	while (n-- > 0)
		sum += n * n ^ (sum >> 3);
	return sum;
}

__attribute__((noinline, noipa)) static void touch_pages(volatile char *memory,
							 long n)
{
	for (long i = 0; i < n; i++)
		memory[i * 4096] = 1;
}

static void *touch_some(void *memory)
{
	touch_pages(memory, OTHERS);
	return NULL;
}

static int run_threads(char *memory)
{
	touch_pages(memory, FIRST);
	for (long i = FIRST; i < PAGES; i += OTHERS) {
		pthread_t thread;

		pthread_create(&thread, NULL, touch_some, memory + i * 4096);
		pthread_join(thread, NULL);
	}
	return 0;
}

static void *in_thread(void *unused)
{
	sink += burn(30000000);
	return unused;
}

int main(int argc, char **argv)
{
	char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;

	madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
	(void)argv;
	if (argc > 1)
		return run_threads(memory);
	touch_pages(memory, PAGES);
	pthread_create(&thread, NULL, in_thread, NULL);
	child = fork();
	sink += burn(30000000);
	if (child == 0)
		_exit(0);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
