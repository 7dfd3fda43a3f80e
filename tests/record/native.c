/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of a thread and of a child, and 1000 faults in one function. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 1000

static volatile unsigned long sink;

__attribute__((noipa)) static unsigned long burn(unsigned long n)
{
	unsigned long sum = 0;

	while (n-- > 0)
		sum += n * n ^ (sum >> 3);
	return sum;
}

__attribute__((noipa)) static void touch_pages(volatile char *memory)
{
	for (long i = 0; i < PAGES; i++)
		memory[i * 4096] = 1;
}

static void *in_thread(void *unused)
{
	sink += burn(30000000);
	return unused;
}

int main(void)
{
	char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;

	madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
	touch_pages(memory);
	pthread_create(&thread, NULL, in_thread, NULL);
	child = fork();
	sink += burn(30000000);
	if (child == 0)
		_exit(0);
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	return 0;
}
