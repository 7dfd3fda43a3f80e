/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program on the simulated PMU attaches to others that run there: to a child,
 * from start to stop, through a reset, an exec and its end; and what is
 * refused.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <assay/assay.h>
#include <papi.h>

#define LOOPS 1000000LL

static int failed;

static void check(int holds, const char *what, long long value)
{
	if (holds)
		return;
	printf("FAIL: %s: %lld (%s)\n", what, value, assay_error());
	failed = 1;
}

/* Four instructions an iteration: two of them work, two count. */
static void work(long long n)
{
	__asm__ volatile("1: add $1, %%rax\n"
			 "   add $1, %%rcx\n"
			 "   dec %0\n"
			 "   jnz 1b\n"
			 : "+r"(n)
			 :
			 : "rax", "rcx", "cc");
}

#define WORK_INSTRUCTIONS (4 * LOOPS)

/* A child that works when it is told to, and says when it is done. */
struct child {
	pid_t pid;
	int to, from;
};

static void obey(int from, int to, const char *self)
{
	char order;

	while (read(from, &order, 1) == 1) {
		if (order == 'w')
			work(LOOPS);
		if (order == 'e') {
			dup2(from, 0);
			dup2(to, 1);
			execl(self, self, "obey", (char *)NULL);
			_exit(1);
		}
		if (write(to, &order, 1) != 1)
			break;
	}
	_exit(0);
}

static struct child make_child(const char *self)
{
	struct child c;
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		exit(1);
	c.pid = fork();
	if (c.pid == 0) {
		close(to[1]);
		close(from[0]);
		obey(to[0], from[1], self);
	}
	close(to[0]);
	close(from[1]);
	c.to = to[1];
	c.from = from[0];
	return c;
}

static void tell(const struct child *c, char order)
{
	char answer;

	if (write(c->to, &order, 1) != 1 ||
	    (order != 'e' && read(c->from, &answer, 1) != 1))
		check(0, "the child does not answer", order);
}

static void end_child(struct child *c)
{
	close(c->to);
	waitpid(c->pid, NULL, 0);
	close(c->from);
}

static int make_set(void)
{
	int set = PAPI_NULL;

	check(PAPI_create_eventset(&set) == PAPI_OK, "create", 0);
	check(PAPI_add_named_event(set, "PAPI_TOT_INS") == PAPI_OK, "add", 0);
	return set;
}

/* @value is the work @times, and what little the child does besides. */
static void check_work(long long value, int times, const char *what)
{
	check(value >= times * WORK_INSTRUCTIONS &&
		      value < times * WORK_INSTRUCTIONS + 200000,
	      what, value);
}

static void check_child(const char *self)
{
	struct child c = make_child(self);
	int set = make_set();
	long long value = -1;

	tell(&c, 'w'); /* before: not counted */
	check(PAPI_attach(set, (unsigned long)c.pid) == PAPI_OK, "attach",
	      c.pid);
	check(PAPI_start(set) == PAPI_OK, "start", 0);
	tell(&c, 'w');
	work(LOOPS); /* its own: not counted */
	check(PAPI_read(set, &value) == PAPI_OK, "read", 0);
	check_work(value, 1, "one piece of work");
	check(PAPI_reset(set) == PAPI_OK, "reset", 0);
	tell(&c, 'w');
	tell(&c, 'w');
	check(PAPI_stop(set, &value) == PAPI_OK, "stop", 0);
	check_work(value, 2, "two after the reset");
	tell(&c, 'w'); /* after: not counted */
	check(PAPI_read(set, &value) == PAPI_OK, "read when stopped", 0);
	check_work(value, 2, "still two");
	check(PAPI_start(set) == PAPI_OK, "start again", 0);
	tell(&c, 'w');
	end_child(&c); /* meanwhile */
	check(PAPI_stop(set, &value) == PAPI_OK, "stop after its end", 0);
	check_work(value, 1, "one until its end");
	check(PAPI_detach(set) == PAPI_OK, "detach", 0);
	check(PAPI_start(set) == PAPI_OK, "start for itself", 0);
	work(LOOPS);
	check(PAPI_stop(set, &value) == PAPI_OK, "stop for itself", 0);
	check_work(value, 1, "its own work");
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

static void check_exec(const char *self)
{
	struct child c = make_child(self);
	int set = make_set();
	long long value = -1;

	tell(&c, 'n');
	check(PAPI_attach(set, (unsigned long)c.pid) == PAPI_OK, "attach", 0);
	check(PAPI_start(set) == PAPI_OK, "start", 0);
	tell(&c, 'w');
	tell(&c, 'e');
	tell(&c, 'w');
	end_child(&c);
	check(PAPI_stop(set, &value) == PAPI_OK, "stop", 0);
	/* the new program's start, its linking above all, is its own */
	check(value >= 2 * WORK_INSTRUCTIONS &&
		      value < 2 * WORK_INSTRUCTIONS + 1000000,
	      "before and after an exec", value);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Sets of two children at a time, and of this process beside them. */
static void check_several(const char *self)
{
	struct child a = make_child(self), b = make_child(self);
	int of_a = make_set(), of_b = make_set(), own = make_set();
	long long in_a = -1, in_b = -1, here = -1;

	check(PAPI_attach(of_a, (unsigned long)a.pid) == PAPI_OK, "a", 0);
	check(PAPI_attach(of_b, (unsigned long)b.pid) == PAPI_OK, "b", 0);
	check(PAPI_start(of_a) == PAPI_OK && PAPI_start(of_b) == PAPI_OK &&
		      PAPI_start(own) == PAPI_OK,
	      "start", 0);
	tell(&a, 'w');
	tell(&b, 'w');
	tell(&b, 'w');
	work(LOOPS);
	check(PAPI_stop(own, &here) == PAPI_OK &&
		      PAPI_stop(of_a, &in_a) == PAPI_OK &&
		      PAPI_stop(of_b, &in_b) == PAPI_OK,
	      "stop", 0);
	check_work(in_a, 1, "the first child");
	check_work(in_b, 2, "the second child");
	check_work(here, 1, "this process");
	end_child(&b); /* which has a's pipe, too */
	end_child(&a);
	PAPI_cleanup_eventset(of_a);
	PAPI_cleanup_eventset(of_b);
	PAPI_cleanup_eventset(own);
}

static void check_refused(void)
{
	const PAPI_component_info_t *info =
		PAPI_get_component_info(PAPI_get_component_index("sim"));
	PAPI_option_t cpu = { .cpu = { .cpu_num = 0 } };
	int set = make_set();

	check(info->attach && !info->attach_must_ptrace && !info->cpu,
	      "what the component says", info->attach_must_ptrace);
	check(PAPI_attach(set, (unsigned long)getppid()) == PAPI_ENOSUPP,
	      "a process that is not simulated", 0);
	check(PAPI_attach(set, 0x7ffffff) == PAPI_EINVAL, "no process", 0);
	cpu.cpu.eventset = set;
	check(PAPI_set_opt(PAPI_CPU_ATTACH, &cpu) == PAPI_ECMP, "a CPU", 0);
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
}

/* Attach to @pid, count, and be killed: nothing is given back. */
static int attach_and_die(pid_t pid)
{
	int set;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	set = make_set();
	if (PAPI_attach(set, (unsigned long)pid) || PAPI_start(set))
		return 1;
	return raise(SIGKILL);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "die") == 0)
		return attach_and_die(atoi(argv[2]));
	if (argc > 1 && strcmp(argv[1], "obey") == 0)
		obey(0, 1, argv[0]);
	if (argc > 2 && strcmp(argv[1], "work") == 0) {
		for (long n = atol(argv[2]); n > 0; n--)
			work(LOOPS);
		return 0;
	}
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		return 1;
	check_refused();
	check_child(argv[0]);
	check_exec(argv[0]);
	check_several(argv[0]);
	PAPI_shutdown();
	return failed;
}
