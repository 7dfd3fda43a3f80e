/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two functions that run known numbers of instructions, 9 and 3 millions, and
 * ways to lead a profiler astray: "kill" dies, "fork" has a child, a thread
 * and another program, "close" runs code of a library that it then closes,
 * "make" runs code that it made.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP(n)                                                                \
	__asm__ volatile("1: dec %0\n nop\n jnz 1b\n" : "+r"(n) : : "cc")

__attribute__((noinline, noipa)) void long_work(uint64_t n)
{
	LOOP(n); /* long_work's line */
}

__attribute__((noinline, noipa)) void short_work(uint64_t n)
{
	LOOP(n); /* short_work's line */
}

static inline __attribute__((always_inline)) void inlined(uint64_t n)
{
	LOOP(n); /* inlined's line */
}

__attribute__((noinline, noipa)) void outer(uint64_t n)
{
	inlined(n); /* outer's call */
	inlined(n); /* outer's second call */
}

static void *in_thread(void *unused)
{
	short_work(1000000);
	return unused;
}

/* A stack with pages above it that cannot be read, as glibc's own have them. */
static void on_guarded_stack(void)
{
	const size_t stack = 256 << 10, guard = 64 << 10;
	const int guard_install = 102; /* MADV_GUARD_INSTALL, Linux 6.13 */
	char *area = mmap(NULL, stack + guard, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (area == MAP_FAILED)
		exit(1);
	madvise(area + stack, guard, guard_install);
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, area, stack);
	pthread_create(&thread, &attr, in_thread, NULL);
	pthread_join(thread, NULL);
}

static void in_many(char *self)
{
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, in_thread, NULL);
	child = fork();
	if (child == 0) {
		long_work(1000000);
		execl(self, self, "outer", NULL);
		_exit(1);
	}
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
}

static void in_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*work)(uint64_t n) = NULL;
	void *found = library ? dlsym(library, "library_work") : NULL;

	if (!found)
		exit(1);
	memcpy(&work, &found, sizeof(work));
	work(1000000);
	dlclose(library);
}

/* Code that is made here, and listed for profilers if @name is not "". */
static void in_made_code(const char *name)
{
	/* mov $1000000, %eax; 1: dec %eax; nop; jnz 1b; ret */
	static const unsigned char code[] = { 0xb8, 0x40, 0x42, 0x0f,
					      0x00, 0xff, 0xc8, 0x90,
					      0x75, 0xfb, 0xc3 };
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*work)(void);
	char path[64];
	FILE *list;

	memcpy(memory, code, sizeof(code));
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	memcpy(&work, &memory, sizeof(work));
	work();
	if (!*name)
		return;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	list = fopen(path, "w");
	if (!list)
		exit(1);
	fprintf(list, "%lx %zx %s\n", (unsigned long)memory, sizeof(code),
		name);
	fclose(list);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "fork") == 0) {
		in_many(argv[0]);
	} else if (strcmp(what, "guard") == 0) {
		on_guarded_stack();
	} else if (strcmp(what, "outer") == 0) {
		outer(1000000);
	} else if (strcmp(what, "close") == 0) {
		in_library(argv[2]);
	} else if (strcmp(what, "make") == 0) {
		in_made_code(argv[2]);
	} else {
		for (int i = 0; i < 10; i++) {
			long_work(300000);
			short_work(100000);
		}
	}
	if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	return strcmp(what, "status") == 0 ? 7 : 0;
}
