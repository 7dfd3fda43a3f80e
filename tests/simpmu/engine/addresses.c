/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the address of everything that a program can own: stack, arguments,
 * environment, heap, mappings of each kind, the stacks of threads, and a
 * child's. Ends with 1 if memory is not what was asked for.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEGABYTE (1ul << 20)

extern char **environ;

static void show(const char *what, const void *address)
{
	printf("%s %p\n", what, address);
	fflush(stdout);
}

static void *map(void *wish, size_t bytes, int flags)
{
	void *at = mmap(wish, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void *run_thread(void *unused)
{
	int here = 0;

	show("thread", &here);
	return unused;
}

static void show_mappings(void)
{
	void *first = map(NULL, 2 * MEGABYTE, 0), *again;

	show("mapping", first);
	munmap(first, 2 * MEGABYTE);
	again = map(NULL, MEGABYTE, 0);
	show("after munmap", again);
	memset(again, 7, MEGABYTE);
	map(NULL, MEGABYTE, 0);
	again = mremap(again, MEGABYTE, 64 * MEGABYTE, MREMAP_MAYMOVE);
	show("moved", again);
	if (((char *)again)[MEGABYTE - 1] != 7 || ((char *)again)[MEGABYTE])
		exit(1);
	show("reserved", map(NULL, MEGABYTE << 20, MAP_NORESERVE));
	show("wish", map((void *)0xc000000000, MEGABYTE, 0));
	show("wish, taken", map((void *)0xc000000000, MEGABYTE, 0));
	if (map(NULL, 0, 0) || map(NULL, ~0ul, 0))
		exit(1);
}

static void show_heap(void)
{
	char *end = sbrk(0), *more = sbrk(16 * MEGABYTE);

	show("heap", end);
	memset(more, 1, 16 * MEGABYTE);
	if (sbrk(-(intptr_t)(16 * MEGABYTE)) != more + 16 * MEGABYTE ||
	    sbrk(0) != end || sbrk(1ul << 46) != (void *)-1)
		exit(1);
	show("malloc", malloc(100));
	show("large malloc", malloc(4 * MEGABYTE));
}

static int use_stack(int pages)
{
	volatile char page[4096];

	page[0] = (char)pages;
	return pages ? use_stack(pages - 1) + page[0] : 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	show("stack", &argc);
	show("argument", argv[argc - 1]);
	show("environment", environ[0]);
	show_heap();
	show_mappings();
	pthread_create(&thread, NULL, run_thread, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		show("child", map(NULL, MEGABYTE, 0));
		_exit(0);
	}
	wait(NULL);
	return use_stack(1500) == 12345678;
}
