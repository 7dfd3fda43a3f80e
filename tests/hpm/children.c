/* SPDX-License-Identifier: BSD-3-Clause */
/* children N: sections of the process in which children execute a loop of N
 * iterations, two instructions each, and end in one way or another.
 * children work N: such a child, as a program of its own.
 * $ASIDE is a command that is executed in a section, too. */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hpm.h>

extern char **environ;

static char file[4096], count[32], work_word[] = "work";
static char *line[] = { file, work_word, count, NULL };
static long n;
static volatile int *done; /* shared: a child has worked */

static void work(long times)
{
	if (times > 0)
		__asm__ volatile("1: dec %0\n"
				 "jnz 1b\n"
				 : "+r"(times)
				 :
				 : "cc");
}

static pid_t start(void)
{
	pid_t child = fork();

	if (child < 0)
		exit(9);
	return child;
}

static void in_child(void)
{
	if (!start()) {
		work(n);
		_exit(0);
	}
	wait(NULL);
}

static void in_program(void)
{
	if (!start()) {
		execv(file, line);
		_exit(9);
	}
	wait(NULL);
}

static void spawned(void)
{
	pid_t child;

	if (posix_spawn(&child, file, NULL, NULL, line, environ))
		exit(9);
	wait(NULL);
}

static void below_shell(void)
{
	char text[5000];

	snprintf(text, sizeof(text), "'%s' work %s && :", file, count);
	if (system(text))
		exit(9);
}

/* It works and then neither calls the system nor ends. */
static pid_t start_restless(void)
{
	pid_t child = start();

	if (child) {
		while (!*done)
			usleep(1000);
		*done = 0;
		return child;
	}
	work(n);
	*done = 1;
	for (;;)
		__asm__ volatile("pause");
}

static void killed(void)
{
	kill(start_restless(), SIGKILL);
	wait(NULL);
}

/* Its loops after the work are few: it is stopped. */
static pid_t alive(void)
{
	pid_t child = start_restless();

	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	return child;
}

int main(int argc, char **argv)
{
	static void (*const ways[])(void) = { in_child, in_program, spawned,
					      below_shell, killed };
	static const char *const names[] = { "child", "program", "spawned",
					     "shell", "killed" };
	pid_t last;

	n = argc > 1 ? atol(argv[argc - 1]) : 0;
	if (argc > 2) {
		work(n);
		return 0;
	}
	if (readlink("/proc/self/exe", file, sizeof(file) - 1) < 0)
		return 9;
	snprintf(count, sizeof(count), "%ld", n);
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	hpmInit(0, "children");
	for (int i = 0; i < 5; i++) {
		hpmStart(i + 1, names[i]);
		ways[i]();
		hpmStop(i + 1);
	}
	hpmStart(6, "alive");
	last = alive();
	hpmStop(6);
	kill(last, SIGKILL);
	wait(NULL);
	if (getenv("ASIDE")) {
		hpmStart(7, "aside");
		if (system(getenv("ASIDE")))
			return 9;
		hpmStop(7);
	}
	hpmTerminate(0);
	return 0;
}
