/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point additions under a timer's signals, as many of them as the
 * argument says. Prints how many additions there were; with a handler that
 * adds as well, and with siglongjmp() out of it now and then.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PIECE   1000  /* additions of the loop before it looks */
#define PERIOD  20000 /* nanoseconds */
#define JUMP_BY 64

static volatile sig_atomic_t signals;
static volatile long in_handler;
static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void add(long n)
{
	while (n--)
		__asm__ volatile("addsd %%xmm1, %%xmm0" ::: "xmm0");
}

static void on_timer(int sig)
{
	(void)sig;
	signals++;
	add(3);
	in_handler += 3;
	if (may_jump && signals % JUMP_BY == 0)
		siglongjmp(back, 1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_timer };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGALRM };
	struct itimerspec often = { { 0, PERIOD }, { 0, PERIOD } };
	long most = argc > 1 ? atol(argv[1]) : 1000;
	volatile long pieces = 0;
	timer_t timer;

	if (sigaction(SIGALRM, &action, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &often, NULL))
		return 1;
	while (signals < most) {
		add(PIECE);
		pieces++;
		/* outside of what is counted it may be interrupted for good */
		if (!sigsetjmp(back, 1)) {
			may_jump = 1;
			for (volatile int i = 0; i < 50; i++)
				;
		}
		may_jump = 0;
	}
	timer_delete(timer);
	printf("%ld\n", pieces * PIECE + in_handler);
	return 0;
}
