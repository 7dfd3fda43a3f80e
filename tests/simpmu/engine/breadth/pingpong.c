/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pingpong SIGNALS MODE [fork]: sends signals to a thread, each after the
 * handler of the one before has run. MODE is what the thread does meanwhile;
 * with a third argument the sender forks now and then. A signal that is lost
 * makes it wait for ever.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FORK_BY 50

enum mode {
	LOOP,
	ASK_MASK,
	SLEEP,
	SET_MASK,
	READ,
	CALLS,
	MODES
};

static volatile int got, stop, wrong;
static volatile pid_t worker;
static volatile unsigned long sink;
static enum mode mode;
static int ends[2];

static void count_signal(int sig)
{
	(void)sig;
	got++;
}

static int __attribute__((noinline)) leaf(int n)
{
	return n * 3 + 1;
}

static void ask_mask(void)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	wrong += sigismember(&set, SIGUSR1);
}

static void set_mask(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	sink++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void work_once(void)
{
	static int (*volatile call)(int) = leaf;
	const struct timespec short_time = { 0, 1000 };
	unsigned n = 1;
	char c;

	switch (mode) {
	case LOOP:
		for (int i = 0; i < 1000; i++)
			sink = sink * 5 + (unsigned long)i;
		break;
	case ASK_MASK:
		ask_mask();
		break;
	case SLEEP:
		nanosleep(&short_time, NULL);
		break;
	case SET_MASK:
		set_mask();
		break;
	case READ:
		if (read(ends[0], &c, 1) == 1 && !stop)
			wrong++;
		break;
	default:
		for (int i = 0; i < 1000; i++)
			n = (unsigned)call((int)(n & 0xffff));
	}
}

static void *work(void *unused)
{
	worker = (pid_t)syscall(SYS_gettid);
	while (!stop)
		work_once();
	return unused;
}

static void make_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(0);
	if (waitpid(child, &status, 0) != child || status)
		wrong++;
}

static void send(int n, int with_children)
{
	for (int i = 0; i < n; i++) {
		int before = got;

		syscall(SYS_tgkill, getpid(), worker, SIGUSR1);
		while (got == before)
			sched_yield();
		if (with_children && i % FORK_BY == 0)
			make_child();
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = count_signal };
	pthread_t thread;
	int n;

	if (argc < 3 || pipe(ends))
		return 2;
	n = atoi(argv[1]);
	mode = (enum mode)atoi(argv[2]);
	if (mode != READ)
		action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, work, NULL);
	while (!worker)
		sched_yield();
	send(n, argc > 3);
	stop = 1;
	if (write(ends[1], "x", 1) != 1)
		return 1;
	pthread_join(thread, NULL);
	printf("signals %d, wrong %d\n", got, wrong);
	return 0;
}
