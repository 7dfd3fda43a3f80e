/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What POSIX promises of signals: SIGBUS with its address, program counter and
 * registers, handlers on the alternate stack or not, EINTR or a restarted
 * call, and the mask and ignored signals that a program started by exec finds.
 * Prints what it found, the same natively and on an engine.
 *
 * usage: signal-rules [mask]
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define FAULTS      200
#define STACK_BYTES 65536

static sigjmp_buf back;
static volatile int got, wrong, on_stack;
static volatile int answer_to; /* a pipe's end that the handler writes to */
static char *stack;
extern const char bus_at[];

static bool is_on_stack(void)
{
	char here;
	uintptr_t at = (uintptr_t)&here, first = (uintptr_t)stack;

	return at >= first && at < first + STACK_BYTES;
}

/* ---- SIGBUS ---- */

static void on_bus(int sig, siginfo_t *info, void *context)
{
	const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

	wrong += sig != SIGBUS || info->si_code != BUS_ADRERR ||
		 reg[REG_RIP] != (greg_t)bus_at ||
		 (greg_t)info->si_addr != reg[REG_RCX] + 8 * reg[REG_R12] ||
		 reg[REG_R13] != 0x77 || reg[REG_RAX] != 0x55;
	on_stack += is_on_stack();
	got++;
	siglongjmp(back, 1);
}

static void touch_behind_end(char *at, long i)
{
	__asm__ volatile("mov $0x77, %%r13\n"
			 "mov %0, %%rcx\n"
			 "mov %1, %%r12\n"
			 "mov $0x55, %%eax\n"
			 ".globl bus_at\n"
			 "bus_at: movq %%r13, (%%rcx,%%r12,8)\n"
			 "mov $1, %%r13d\n"
			 :
			 : "r"(at), "r"(i)
			 : "r12", "r13", "rcx", "rax", "memory");
}

static void try_bus(bool with_stack)
{
	struct sigaction action = { .sa_sigaction = on_bus,
				    .sa_flags = SA_SIGINFO };
	FILE *file = tmpfile();
	char *at;

	if (!file || ftruncate(fileno(file), 4096))
		exit(1);
	at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file),
		  0);
	if (with_stack)
		action.sa_flags |= SA_ONSTACK;
	sigaction(SIGBUS, &action, NULL);
	got = wrong = on_stack = 0;
	for (volatile int i = 0; i < FAULTS; i++)
		if (!sigsetjmp(back, 1))
			touch_behind_end(at + 4096, i);
	printf("SIGBUS %d, wrong %d, on the alternate stack %d\n", got, wrong,
	       on_stack);
	fclose(file);
}

/* ---- interrupted calls ---- */

static void on_alarm(int sig)
{
	(void)sig;
	/* the second one lets a restarted call end */
	if (++got == 2 && write(answer_to, "x", 1) != 1)
		wrong++;
}

static void try_read(int flags)
{
	const struct itimerval two = { { 0, 30000 }, { 0, 30000 } };
	const struct itimerval none = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = flags };
	int ends[2];
	char c;
	ssize_t n;

	if (pipe(ends))
		exit(1);
	answer_to = ends[1];
	got = wrong = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &two, NULL);
	n = read(ends[0], &c, 1);
	if (n < 0)
		printf("read: %s after %d\n", strerror(errno), got);
	else
		printf("read: %d after more than one: %s\n", (int)n,
		       got > 1 ? "yes" : "no");
	setitimer(ITIMER_REAL, &none, NULL);
	close(ends[0]);
	close(ends[1]);
}

/* ---- what exec hands on ---- */

static int tell_mask(void)
{
	struct sigaction action;
	sigset_t mask, pending;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int sig = 1; sig < 32; sig++) {
		if (sigismember(&mask, sig))
			printf("blocked %d\n", sig);
		if (sigismember(&pending, sig))
			printf("pending %d\n", sig);
		if (!sigaction(sig, NULL, &action) &&
		    action.sa_handler != SIG_DFL)
			printf("%s %d\n",
			       action.sa_handler == SIG_IGN ? "ignored"
							    : "handled",
			       sig);
	}
	return 0;
}

/* SIGUSR1 is blocked and pending, SIGSEGV blocked, SIGUSR2 ignored, SIGALRM
 * handled, which exec undoes. */
static void try_exec(char *program)
{
	pid_t child;
	sigset_t mask;
	int status;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		sigemptyset(&mask);
		sigaddset(&mask, SIGUSR1);
		sigaddset(&mask, SIGSEGV);
		sigprocmask(SIG_SETMASK, &mask, NULL);
		signal(SIGUSR2, SIG_IGN);
		raise(SIGUSR1);
		execl(program, program, "mask", (char *)NULL);
		_exit(1);
	}
	waitpid(child, &status, 0);
	printf("status %x\n", (unsigned)status);
}

/* A signal that is blocked in a handler waits until it returns. */
static void on_user(int sig)
{
	static volatile int depth;

	wrong += depth;
	depth++;
	if (got++ < 3)
		raise(sig);
	depth--;
}

static void try_nesting(void)
{
	struct sigaction action = { .sa_handler = on_user };

	got = wrong = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("one after the other %d, wrong %d\n", got, wrong);
}

int main(int argc, char **argv)
{
	const stack_t alternate = { .ss_sp = stack = malloc(STACK_BYTES),
				    .ss_size = STACK_BYTES };

	if (argc > 1)
		return tell_mask();
	sigaltstack(&alternate, NULL);
	try_bus(true);
	try_bus(false);
	try_read(0);
	try_read(SA_RESTART);
	try_nesting();
	try_exec(argv[0]);
	return 0;
}
