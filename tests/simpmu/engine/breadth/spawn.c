/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawn [CHILDREN]: four threads start programs with posix_spawn while a
 * timer's signals come.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

#define THREADS 4

extern char **environ;
static volatile int got;
static int children = 20;

static void count_signal(int sig)
{
	(void)sig;
	got++;
}

static void *work(void *ended)
{
	char *const words[] = { "true", "x", NULL };

	for (int i = 0; i < children; i++) {
		int status = -1;
		pid_t child;

		if (posix_spawn(&child, "/bin/true", NULL, NULL, words,
				environ))
			continue;
		while (waitpid(child, &status, 0) < 0)
			;
		if (status == 0)
			++*(int *)ended;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 2000 }, { 0, 2000 } };
	struct sigaction action = { .sa_handler = count_signal,
				    .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	int ended[THREADS] = { 0 }, all = 0;

	if (argc > 1)
		children = atoi(argv[1]);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &ended[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		all += ended[i];
	}
	printf("%d programs, signals: %s\n", all, got > 3 ? "yes" : "no");
	return 0;
}
