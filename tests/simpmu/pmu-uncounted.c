/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uncounted HOW [NUMBER]: programs that a simulator has trouble with.
 *   loop N     counts down from N
 *   fork N     as many children at a time, each a loop of 100,000
 *   self       execs /proc/self/exe
 *   drop FILE  gives up all rights and execs FILE
 *   seccomp    allows itself only read, write, exit
 *   threads N  as many at a time
 *   spin FILE READY  counts up in FILE, without a system call, until it is
 *              killed; writes a line to the pipe READY when it has counted far
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAR 10000000 /* turns */

static pthread_barrier_t barrier;

static void count_down(long n)
{
	__asm__ volatile("1:	dec	%0\n"
			 "	jnz	1b\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static int make_children(long n)
{
	int go[2];
	char byte;

	if (pipe(go))
		return 1;
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (pid == 0) {
			close(go[1]);
			if (read(go[0], &byte, 1) == 0)
				count_down(100000);
			_exit(0);
		}
	}
	close(go[1]); /* now they may */
	while (wait(NULL) > 0)
		continue;
	return 0;
}

static void *wait_for_all(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}

static int make_threads(unsigned n)
{
	pthread_t *threads = calloc(n, sizeof(*threads));

	pthread_barrier_init(&barrier, NULL, n + 1);
	for (unsigned i = 0; i < n; i++)
		if (!threads ||
		    pthread_create(&threads[i], NULL, wait_for_all, NULL))
			return 1;
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}

static int exec_without_rights(char **argv)
{
	if (setgid(65534) || setuid(65534))
		return 1;
	execv(argv[0], argv);
	return 1;
}

static int spin(const char *path, const char *ready)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	int pipe = open(ready, O_WRONLY);
	volatile unsigned long *turns;

	if (fd < 0 || pipe < 0 || ftruncate(fd, sizeof(*turns)))
		return 1;
	turns = mmap(NULL, sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (turns == MAP_FAILED)
		return 1;
	while (*turns < FAR)
		++*turns;
	if (write(pipe, "\n", 1) != 1)
		return 1;
	for (;;)
		++*turns;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(how, "loop"))
		count_down(n);
	if (!strcmp(how, "fork"))
		return make_children(n);
	if (!strcmp(how, "threads"))
		return make_threads((unsigned)n);
	if (!strcmp(how, "spin"))
		return argc > 3 ? spin(argv[2], argv[3]) : 2;
	if (!strcmp(how, "self"))
		execl("/proc/self/exe", "me", "loop", "500000", (char *)NULL);
	if (!strcmp(how, "drop"))
		return exec_without_rights(argv + 2);
	if (!strcmp(how, "seccomp")) {
		/* not where a filter is in force, as in containers */
		if (prctl(PR_SET_SECCOMP, 1 /* SECCOMP_MODE_STRICT */))
			return 5;
		syscall(SYS_exit, 4);
	}
	return 0;
}
