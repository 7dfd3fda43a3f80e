/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two functions that run known numbers of instructions, 9 and 3 millions, and
 * ways to lead a profiler astray: "kill" dies, "fork" has a child, a thread
 * and another program, "close" runs code of a library that it then closes.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP(n)                                                                \
	__asm__ volatile("1: dec %0\n nop\n jnz 1b\n" : "+r"(n) : : "cc")

__attribute__((noipa)) void long_work(uint64_t n)
{
	LOOP(n); /* long_work's line */
}

__attribute__((noipa)) void short_work(uint64_t n)
{
	LOOP(n); /* short_work's line */
}

static inline __attribute__((always_inline)) void inlined(uint64_t n)
{
	LOOP(n); /* inlined's line */
}

__attribute__((noipa)) void outer(uint64_t n)
{
	inlined(n); /* outer's call */
	inlined(n); /* outer's second call */
}

static void *in_thread(void *unused)
{
	short_work(1000000);
	return unused;
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

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (strcmp(what, "fork") == 0) {
		in_many(argv[0]);
	} else if (strcmp(what, "outer") == 0) {
		outer(1000000);
	} else if (strcmp(what, "close") == 0) {
		in_library(argv[2]);
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
