/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways in which signals are sent, waited for and handled: queued with
 * values, read from a file descriptor, waited for with a mask, sent by a timer
 * to one thread, nested on the alternate stack, handled once, ignored. Prints
 * what it found, the same natively and on an engine.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES 131072
#define VALUES      200
#define AUTODISARM  (1 << 31) /* SS_AUTODISARM */

static sigjmp_buf back;
static char *stack;
static volatile int got, depth, deepest, last_code, is_inside;
static volatile long sum, order;
static volatile int *volatile nowhere = (volatile int *)(uintptr_t)16;

static bool is_on_stack(void)
{
	char here;
	uintptr_t at = (uintptr_t)&here, first = (uintptr_t)stack;

	return at >= first && at < first + STACK_BYTES;
}

static void handle(int sig, void (*handler)(int, siginfo_t *, void *),
		   int flags)
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO | flags };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
	got = depth = deepest = last_code = is_inside = 0;
	sum = order = 0;
}

static sigset_t set_of(int one, int other)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, one);
	if (other)
		sigaddset(&set, other);
	return set;
}

/* ---- values ---- */

static void on_value(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	got++;
	last_code = info->si_code;
	sum += info->si_value.sival_int;
	order = order * 31 % 1000003 + info->si_value.sival_int;
}

static void queue_to_thread(int sig, int value)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = sig;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = value;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), sig,
		&info);
}

/* All at once when they are unblocked, and one by one. */
static void try_values(bool to_thread)
{
	sigset_t set = set_of(SIGRTMIN + 1, 0), old;

	handle(SIGRTMIN + 1, on_value, 0);
	sigprocmask(SIG_BLOCK, &set, &old);
	for (int i = 0; i < VALUES; i++) {
		if (to_thread)
			queue_to_thread(SIGRTMIN + 1, i);
		else
			sigqueue(getpid(), SIGRTMIN + 1,
				 (union sigval){ .sival_int = i });
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	for (int i = 0; i < VALUES; i++)
		sigqueue(getpid(), SIGRTMIN + 1,
			 (union sigval){ .sival_int = i });
	printf("values %d, sum %ld, order %ld, code %d\n", got, sum, order,
	       last_code);
}

static void *send_values(void *to)
{
	for (int i = 0; i < VALUES; i++) {
		union sigval value = { .sival_int = i };

		while (pthread_sigqueue(*(pthread_t *)to, SIGRTMIN + 1, value))
			;
	}
	return NULL;
}

/* Sent by another thread while this one does all kinds of things: none is
 * lost, and their order is kept. */
static void try_values_from_afar(void)
{
	sigset_t set = set_of(SIGRTMIN + 1, 0);
	pthread_t self = pthread_self(), other;
	char text[64];

	handle(SIGRTMIN + 1, on_value, SA_RESTART);
	pthread_create(&other, NULL, send_values, &self);
	while (got < VALUES) {
		for (volatile int i = 0; i < 100; i++)
			;
		snprintf(text, sizeof(text), "%d", got);
		sigprocmask(SIG_BLOCK, &set, NULL);
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE, -1, 0);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	pthread_join(other, NULL);
	printf("values from afar %d, sum %ld, order %ld, code %d\n", got, sum,
	       order, last_code);
}

/* ---- waiting ---- */

static void try_signalfd(void)
{
	sigset_t set = set_of(SIGUSR1, SIGRTMIN + 2), old;
	struct signalfd_siginfo info;
	int fd = signalfd(-1, &set, SFD_NONBLOCK);

	sigprocmask(SIG_BLOCK, &set, &old);
	printf("signalfd: nothing %d\n", (int)read(fd, &info, sizeof(info)));
	raise(SIGUSR1);
	raise(SIGUSR1);
	sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = 41 });
	sigqueue(getpid(), SIGRTMIN + 2, (union sigval){ .sival_int = 42 });
	while (read(fd, &info, sizeof(info)) == sizeof(info))
		printf("signalfd: %u code %d value %d own %d\n", info.ssi_signo,
		       info.ssi_code, info.ssi_int,
		       info.ssi_pid == (uint32_t)getpid());
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(fd);
}

static int wait_in(unsigned way, const sigset_t *mask)
{
	const struct timespec none = { 5, 0 };
	struct epoll_event event;
	struct pollfd entry = { -1, 0, 0 };
	int result, fd;

	switch (way) {
	case 0:
		return ppoll(&entry, 1, &none, mask);
	case 1:
		return pselect(0, NULL, NULL, NULL, &none, mask);
	case 2:
		fd = epoll_create1(0);
		result = epoll_pwait(fd, &event, 1, 5000, mask);
		close(fd);
		return result;
	default:
		return sigsuspend(mask);
	}
}

/* Blocked and sent: it is handled inside the call only, and both masks are
 * right then and afterwards. */
static void try_mask_of_wait(unsigned way)
{
	sigset_t set = set_of(SIGUSR1, SIGUSR2), old, during, after;
	int result, error;

	handle(SIGUSR1, on_value, 0);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	raise(SIGUSR2);
	during = set_of(SIGUSR2, SIGSEGV);
	result = got ? -2 : wait_in(way, &during);
	error = errno;
	sigprocmask(SIG_SETMASK, NULL, &after);
	printf("wait %u: %d, %s, handled %d, still blocked %d, SEGV %d\n", way,
	       result, strerror(error), got, sigismember(&after, SIGUSR1),
	       sigismember(&after, SIGSEGV));
	set = set_of(SIGUSR2, 0);
	sigwaitinfo(&set, NULL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* ---- a timer for one thread ---- */

static pthread_t timed;

static void on_timer(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (!pthread_equal(pthread_self(), timed))
		last_code = 1;
	sum += info->si_value.sival_int;
	got++;
}

static void *be_timed(void *unused)
{
	struct itimerspec often = { { 0, 200000 }, { 0, 200000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = SIGRTMIN + 3 };
	timer_t timer;

	(void)unused;
	timed = pthread_self();
	event.sigev_value.sival_int = 7;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		exit(1);
	timer_settime(timer, 0, &often, NULL);
	while (got < 500)
		is_inside++;
	timer_delete(timer);
	return NULL;
}

static void try_thread_timer(void)
{
	pthread_t thread;
	int handled;

	handle(SIGRTMIN + 3, on_timer, SA_RESTART);
	pthread_create(&thread, NULL, be_timed, NULL);
	pthread_join(thread, NULL);
	handled = got;
	printf("timer: enough %d, values %d, in another thread %d\n",
	       handled >= 500, sum == 7L * handled, last_code);
}

/* ---- nesting, once, ignored ---- */

static void on_nested(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	got += is_on_stack();
	if (++depth > deepest)
		deepest = depth;
	if (++order < 6)
		raise(sig == SIGUSR1 ? SIGUSR2 : SIGUSR1);
	if (order == 6)
		*nowhere = 1;
	depth--;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	stack_t alternate;

	(void)context;
	sigaltstack(NULL, &alternate);
	printf("fault %d code %d at %d, deep %d, on the stack %d, flags %x\n",
	       sig, info->si_code, (int)(uintptr_t)info->si_addr, depth,
	       is_on_stack(), (unsigned)alternate.ss_flags);
	siglongjmp(back, 1);
}

static void try_nesting(int flags)
{
	handle(SIGUSR1, on_nested, SA_ONSTACK | flags);
	handle(SIGUSR2, on_nested, SA_ONSTACK | flags);
	handle(SIGSEGV, on_fault, SA_ONSTACK);
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	printf("nested: deepest %d, on the stack %d\n", deepest, got);
	signal(SIGSEGV, SIG_DFL);
}

static void on_again(int sig, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	got++;
	if (++depth > deepest)
		deepest = depth;
	if (got < 5)
		raise(sig);
	depth--;
}

static void try_again(int flags)
{
	handle(SIGUSR1, on_again, flags);
	raise(SIGUSR1);
	printf("again: handled %d, deepest %d\n", got, deepest);
}

/* Those that are ignored by default, then; others end the child. */
static void try_once(int sig)
{
	struct sigaction now;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		handle(sig, on_value, (int)SA_RESETHAND);
		raise(sig);
		sigaction(sig, NULL, &now);
		printf("once %d: handled %d, default %d, flags %x\n", sig, got,
		       now.sa_handler == SIG_DFL,
		       (unsigned)now.sa_flags & ~0x04000000u);
		fflush(stdout);
		raise(sig);
		_exit(7);
	}
	waitpid(child, &status, WUNTRACED);
	printf("once %d: status %x\n", sig, (unsigned)status);
	if (WIFSTOPPED(status)) {
		kill(child, SIGCONT);
		waitpid(child, &status, 0);
		printf("once %d: then %x\n", sig, (unsigned)status);
	}
}

static void try_ignored(int sig)
{
	struct sigaction now;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		signal(sig, SIG_IGN);
		raise(sig);
		sigaction(sig, NULL, &now);
		printf("ignored %d: %d\n", sig, now.sa_handler == SIG_IGN);
		fflush(stdout);
		if (sig == SIGSEGV) /* not when the processor raises it */
			*nowhere = 1;
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("ignored %d: status %x\n", sig, (unsigned)status & 0x7f7f);
}

/* What the kernel keeps of an action. */
static void try_action(void)
{
	struct sigaction action = { .sa_sigaction = on_value,
				    .sa_flags = SA_SIGINFO | SA_NODEFER },
			 now;

	sigfillset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR1, NULL, &now);
	printf("action: KILL %d, STOP %d, TERM %d, flags %x\n",
	       sigismember(&now.sa_mask, SIGKILL),
	       sigismember(&now.sa_mask, SIGSTOP),
	       sigismember(&now.sa_mask, SIGTERM),
	       (unsigned)now.sa_flags & ~0x04000000u);
	printf("action of KILL: %d", sigaction(SIGKILL, &action, NULL));
	printf(" %s, none: %d\n", strerror(errno),
	       sigaction(SIGKILL, NULL, &now));
}

/* ---- the alternate stack ---- */

static void on_disarmed(int sig, siginfo_t *info, void *context)
{
	stack_t now;

	(void)sig;
	(void)info;
	(void)context;
	sigaltstack(NULL, &now);
	printf("in the handler: on the stack %d, flags %x\n", is_on_stack(),
	       (unsigned)now.ss_flags);
}

static void say_stack(const char *what, int result)
{
	stack_t now;
	int error = errno;

	sigaltstack(NULL, &now);
	printf("%s: %d %s, flags %x, bytes %d\n", what, result,
	       result ? strerror(error) : "", (unsigned)now.ss_flags,
	       (int)now.ss_size);
}

static void try_stacks(void)
{
	stack_t wanted = { .ss_sp = stack, .ss_size = STACK_BYTES };

	wanted.ss_flags = AUTODISARM;
	say_stack("autodisarm", sigaltstack(&wanted, NULL));
	handle(SIGUSR1, on_disarmed, SA_ONSTACK);
	raise(SIGUSR1);
	say_stack("afterwards", 0);
	wanted.ss_flags = 4;
	say_stack("bad flags", sigaltstack(&wanted, NULL));
	wanted.ss_flags = SS_ONSTACK;
	say_stack("flag on", sigaltstack(&wanted, NULL));
	wanted.ss_size = 100;
	wanted.ss_flags = 0;
	say_stack("too small", sigaltstack(&wanted, NULL));
	wanted.ss_flags = SS_DISABLE;
	say_stack("disabled", sigaltstack(&wanted, NULL));
}

/* A frame that finds no room ends the program with SIGSEGV. */
static void try_no_room(void)
{
	stack_t wanted = { .ss_sp = stack + 8192, .ss_size = 2048 };
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		sigaltstack(&wanted, NULL);
		handle(SIGUSR1, on_value, SA_ONSTACK);
		raise(SIGUSR1);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("no room: status %x\n", (unsigned)status & 0x7f7f);
}

/* Unless SIGSEGV has a handler that has a stack; if it is blocked, a fault ends
 * the program, too. */
static void try_fault_at_frame(bool is_blocked)
{
	stack_t wanted = { .ss_sp = stack, .ss_size = STACK_BYTES };
	sigset_t set = set_of(SIGSEGV, 0);
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		sigaltstack(&wanted, NULL);
		handle(SIGUSR1, on_value, 0);
		handle(SIGSEGV, on_fault, SA_ONSTACK);
		if (is_blocked)
			sigprocmask(SIG_BLOCK, &set, NULL);
		if (!sigsetjmp(back, 1))
			__asm__ volatile("mov $4096, %%rsp\n\t"
					 "mov %0, %%edi\n\t"
					 "mov %1, %%esi\n\t"
					 "mov $200, %%eax\n\t" /* tkill */
					 "syscall\n\t"
					 "hlt"
					 :
					 : "r"(getpid()), "i"(SIGUSR1)
					 : "memory");
		exit(7);
	}
	waitpid(child, &status, 0);
	printf("fault at a frame: status %x\n", (unsigned)status & 0x7f7f);
}

int main(void)
{
	const stack_t alternate = { .ss_sp = stack = malloc(STACK_BYTES),
				    .ss_size = STACK_BYTES };

	sigaltstack(&alternate, NULL);
	try_values(false);
	try_values(true);
	try_values_from_afar();
	try_signalfd();
	for (unsigned way = 0; way < 4; way++)
		try_mask_of_wait(way);
	try_thread_timer();
	try_nesting(0);
	try_nesting(SA_NODEFER);
	try_again(0);
	try_again(SA_NODEFER);
	try_once(SIGUSR1);
	try_once(SIGCHLD);
	try_once(SIGTSTP);
	try_once(SIGSEGV);
	try_ignored(SIGUSR1);
	try_ignored(SIGSEGV);
	try_ignored(SIGTRAP);
	try_action();
	try_stacks();
	try_no_room();
	try_fault_at_frame(false);
	try_fault_at_frame(true);
	return 0;
}
