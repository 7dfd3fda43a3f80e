/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals where they hurt: in loops, around system calls, while masks change,
 * at faults with their address, program counter and registers, out of a
 * handler by siglongjmp, and on an alternate stack. Prints what it found, the
 * same natively and on an engine.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 300
#define FAULTS 500

enum {
	LOOP,
	MASKS,
	SLEEP,
	CALLS,
	MODES
};

static volatile int got, mode, stop, wrong;
static volatile pid_t worker;
static volatile unsigned long sink;
static sigjmp_buf back;
extern const char fault_at[];

static void count_signal(int sig)
{
	(void)sig;
	got++;
}

static int __attribute__((noinline)) leaf(int n)
{
	return n * 3 + 1;
}

static void change_masks(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	if (sigismember(&old, SIGUSR1))
		wrong++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void *work(void *unused)
{
	int (*volatile call)(int) = leaf;
	unsigned n = 1;

	worker = (pid_t)syscall(SYS_gettid);
	while (!stop)
		switch (mode) {
		case LOOP:
			for (int i = 0; i < 1000; i++)
				sink = sink * 5 + (unsigned long)i;
			break;
		case MASKS:
			change_masks();
			break;
		case SLEEP:
			usleep(1);
			break;
		default:
			for (int i = 0; i < 1000; i++)
				n = (unsigned)call((int)(n & 0xffff));
		}
	return unused;
}

static void storm(void)
{
	struct sigaction action = { .sa_handler = count_signal,
				    .sa_flags = SA_RESTART };
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, work, NULL);
	while (!worker)
		usleep(10);
	for (mode = LOOP; mode < MODES; mode++)
		for (int i = 0; i < ROUNDS; i++) {
			int before = got;

			syscall(SYS_tgkill, getpid(), worker, SIGUSR1);
			while (got == before)
				sched_yield();
		}
	stop = 1;
	pthread_join(thread, NULL);
	printf("signals %d, wrong masks %d\n", got, wrong);
}

static void fault(int sig, siginfo_t *info, void *context)
{
	const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	if (sig == SIGSEGV &&
	    (reg[REG_RIP] != (greg_t)fault_at || reg[REG_R12] != 0x1234 ||
	     (greg_t)info->si_addr != reg[REG_RCX]))
		wrong++;
	if (sig == SIGFPE && (greg_t)info->si_addr != reg[REG_RIP])
		wrong++;
	got++;
	siglongjmp(back, 1);
}

static void faults(void)
{
	struct sigaction action = { .sa_sigaction = fault,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
	got = wrong = 0;
	for (volatile int i = 0; i < FAULTS; i++) {
		if (!sigsetjmp(back, 1))
			__asm__ volatile("mov $0x1234, %%r12\n"
					 "mov %0, %%rcx\n"
					 ".globl fault_at\n"
					 "fault_at: movb (%%rcx), %%al\n"
					 :
					 : "r"((long)i + 8)
					 : "r12", "rcx", "rax", "memory");
		if (!sigsetjmp(back, 1))
			__asm__ volatile("xor %%ecx, %%ecx\n"
					 "mov $1, %%eax\n"
					 "cltd\n"
					 "idivl %%ecx\n"
					 :
					 :
					 : "rax", "rcx", "rdx");
	}
	printf("faults %d, wrong %d\n", got, wrong);
}

int main(void)
{
	storm();
	faults();
	return 0;
}
