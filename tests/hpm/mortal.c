/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that ends in one of many ways: mortal HOW. */
#include <hpm.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int sections(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		hpmTstart(1, "outer");
		hpmTstart(2, "inner");
		sum += i;
		hpmTstop(2);
		hpmTstop(1);
	}
	return sum;
}

/* Endless, but the compiler need not know. */
static volatile int stop;

static int deeper(int n)
{
	volatile char room[4096];

	room[n % 4096] = 1;
	return stop ? n : deeper(n + 1) + room[0];
}

static void *for_ever(void *unused)
{
	(void)unused;
	for (;;)
		sections(100);
	return NULL;
}

static void wrong(void)
{
	hpmTstop(7);
	hpmTstop(7);
	hpmTstart(3, "crossed");
	hpmTstart(4, "inner of crossed");
	hpmTstop(3);
	hpmTstart(5, "left open");
}

static void with_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		hpmInit(1, "child");
		sections(3);
		hpmTerminate(1);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void with_vfork(void)
{
	pid_t child = vfork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	syscall(SYS_exit_group, 7);
}

static void die(const char *how)
{
	pthread_t thread;

	if (atoi(how)) /* of a signal */
		raise(atoi(how));
	else if (strcmp(how, "segv") == 0)
		raise(SIGSEGV);
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "stack") == 0)
		printf("%d\n", deeper(0));
	else if (strcmp(how, "_exit") == 0)
		_exit(5);
	else if (strcmp(how, "quick_exit") == 0)
		quick_exit(6);
	else if (strcmp(how, "vfork") == 0)
		with_vfork();
	else if (strcmp(how, "wrong") == 0)
		wrong();
	else if (strcmp(how, "fork") == 0)
		with_child();
	else if (strcmp(how, "forever") == 0)
		for_ever(NULL);
	else if (strcmp(how, "busy") == 0) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread, NULL, for_ever, NULL);
		usleep(20000);
	}
}

int main(int argc, char **argv)
{
	/* whoever started this may have ignored it, as nohup does */
	if (argc > 1 && atoi(argv[1]))
		signal(atoi(argv[1]), SIG_DFL);
	hpmInit(0, "mortal");
	sections(10);
	die(argc > 1 ? argv[1] : "");
	hpmTerminate(0);
	printf("%s\n", hpm_error());
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		hpmInit(0, "again");
		sections(5);
		hpmTerminate(0);
	}
	return 0;
}
