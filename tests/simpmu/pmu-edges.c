/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs do while they are counted: fork, vfork, threads, signals,
 * jumps out of handlers, code that comes, goes and is rewritten in place. The
 * loops in each are known; what libraries add is bounded.
 */
#include <papi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* @n conditional branches. */
static void loop(long n)
{
	__asm__ volatile("1:	dec %0\n"
			 "	jnz 1b\n"
			 : "+r"(n)
			 :
			 : "cc");
}

static sigjmp_buf back;
static volatile sig_atomic_t handled;

static void on_signal(int signo)
{
	(void)signo;
	loop(1000);
}

static void on_jump(int signo)
{
	(void)signo;
	loop(500);
	siglongjmp(back, 1);
}

static void on_overflow(int set, void *address, long long which, void *context)
{
	(void)set;
	(void)address;
	(void)which;
	(void)context;
	if (++handled == 3)
		siglongjmp(back, 1);
}

static void await(pid_t child)
{
	int status = -1;

	waitpid(child, &status, 0);
	if (status)
		printf("a child ended with %d\n", status);
}

static void with_fork(void)
{
	pid_t child = fork();

	if (!child) {
		loop(50000);
		_exit(0);
	}
	loop(100000);
	await(child);
}

static void with_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		loop(50000);
		_exit(0);
	}
	loop(100000);
	await(child);
}

static void *run_thread(void *unused)
{
	(void)unused;
	loop(50000);
	return NULL;
}

static void with_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_thread, NULL))
		return;
	loop(100000);
	pthread_join(thread, NULL);
}

static void with_signals(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	loop(100000);
}

static void with_jumps(void)
{
	signal(SIGUSR1, on_jump);
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(back, 1)) {
			raise(SIGUSR1);
			loop(1000000);
		}
	loop(100000);
}

static void with_faults(void)
{
	signal(SIGSEGV, on_jump);
	for (volatile int i = 0; i < 100; i++)
		if (!sigsetjmp(back, 1)) {
			*(volatile int *)NULL = 1;
			loop(1000000);
		}
	loop(100000);
}

/* The third overflow, at 3000 or so, leaves the loop; then 147 more. */
static void with_overflows(void)
{
	handled = 0;
	if (!sigsetjmp(back, 1))
		loop(1000000);
	loop(147000);
}

/* mov $n, %eax; 1: dec %eax; jnz 1b; ret, for growing n in the same place */
static void with_rewritten_code(void)
{
	unsigned char code[] = {
		0xb8, 0, 0, 0, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3
	};
	unsigned char *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*run)(void);

	if (page == MAP_FAILED)
		return;
	memcpy(&run, &page, sizeof(run));
	for (int n = 1000; n <= 50000; n += 1000) {
		memcpy(code + 1, &n, sizeof(n));
		memcpy(page, code, sizeof(code));
		run();
	}
	munmap(page, 4096);
}

static const struct {
	const char *name;
	void (*run)(void);
	long long alone, inherited; /* branches of the loops */
	int threshold;
} cases[] = {
	{ "fork", with_fork, 100000, 150000, 0 },
	{ "vfork", with_vfork, 100000, 150000, 0 },
	{ "thread", with_thread, 100000, 150000, 0 },
	{ "signals", with_signals, 150000, 150000, 0 },
	{ "jumps", with_jumps, 150000, 150000, 0 },
	{ "faults", with_faults, 150000, 150000, 0 },
	{ "overflows", with_overflows, 150000, 150000, 1000 },
	{ "rewritten code", with_rewritten_code, 1275000, 1275000, 0 },
};

#define SLACK 8000 /* of the C library: sigsetjmp(), raise(), threads */

static int make_set(int inherit, int threshold, int *set)
{
	PAPI_option_t option = { 0 };
	int code, err = PAPI_create_eventset(set);

	if (!err)
		err = PAPI_assign_eventset_component(
			*set, PAPI_get_component_index("sim"));
	option.inherit.eventset = *set;
	option.inherit.inherit = PAPI_INHERIT_ALL;
	if (!err && inherit)
		err = PAPI_set_opt(PAPI_INHERIT, &option);
	if (!err)
		err = PAPI_event_name_to_code("PAPI_BR_CN", &code);
	if (!err)
		err = PAPI_add_event(*set, code);
	if (!err && threshold)
		err = PAPI_overflow(*set, code, threshold, 0, on_overflow);
	return err;
}

static int try(size_t which, int inherit)
{
	long long value = 0, expect = inherit ? cases[which].inherited
					      : cases[which].alone;
	int threshold = cases[which].threshold, set = PAPI_NULL, wrong;
	int err = make_set(inherit, threshold, &set);

	if (err) {
		printf("%s: %s\n", cases[which].name, PAPI_strerror(err));
		return 1;
	}
	PAPI_start(set);
	cases[which].run();
	PAPI_stop(set, &value);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	wrong = value < expect || value > expect + SLACK ||
		(threshold && handled != value / threshold);
	printf("%s%s: %lld of %lld%s\n", cases[which].name,
	       inherit ? ", inherited" : "", value, expect,
	       wrong ? " WRONG" : "");
	return wrong;
}

/* The kernel does not run in the simulator: its part is refused. */
static int try_domain(int domain, int expect)
{
	PAPI_option_t option = { 0 };
	int set = PAPI_NULL, err;

	PAPI_create_eventset(&set);
	PAPI_assign_eventset_component(set, PAPI_get_component_index("sim"));
	option.domain.eventset = set;
	option.domain.domain = domain;
	err = PAPI_set_opt(PAPI_DOMAIN, &option);
	if (!err)
		err = PAPI_add_named_event(set, "PAPI_TOT_INS");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	if (err != expect)
		printf("domain %d: %d\n", domain, err);
	return err != expect;
}

/* Four events that only the first four counters have, twice. */
static int try_two_sets(void)
{
	static const char *const names[] = { "PAPI_L1_DCM", "PAPI_L2_DCM",
					     "PAPI_TLB_DM", "PAPI_L1_DCA" };
	int sets[2] = { PAPI_NULL, PAPI_NULL }, first, second, third;
	long long values[4];

	for (int k = 0; k < 2; k++) {
		PAPI_create_eventset(&sets[k]);
		for (int i = 0; i < 4; i++)
			PAPI_add_named_event(sets[k], names[i]);
	}
	first = PAPI_start(sets[0]);
	second = PAPI_start(sets[1]);
	PAPI_stop(sets[0], values);
	third = PAPI_start(sets[1]);
	PAPI_stop(sets[1], values);
	if (!first && second == PAPI_ECNFLCT && !third)
		return 0;
	printf("two sets: %d, %d, then %d\n", first, second, third);
	return 1;
}

int main(void)
{
	int wrong = 0;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wrong |= try(i, 0);
		fflush(stdout);
		if (!cases[i].threshold)
			wrong |= try(i, 1);
		fflush(stdout);
	}
	wrong |= try_domain(PAPI_DOM_USER, PAPI_OK);
	wrong |= try_domain(PAPI_DOM_KERNEL, PAPI_ENOSUPP);
	return wrong | try_two_sets();
}
