/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu-trees SEED N: a tree of processes, threads, programs and signals, drawn
 * by SEED, that executes a loop of N iterations, two instructions each, in many
 * of its nodes.
 * pmu-trees SEED: how many times it executes that loop, and how many of its
 * processes are killed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH    3
#define STEPS    4
#define MOST_FDS 256

enum {
	FAILED = 77
};

/* What goes on below a node: a program of its own is not part of dry runs, so
 * everything that a step does is drawn from its seed alone. */
struct node {
	unsigned long seed;
	int depth;
	bool is_main; /* the process's first thread, not in a handler */
};

static void run(const struct node *node, int from);

static long n, times, kills;
static bool is_dry;
static char file[4096];
static char **environment;
static _Thread_local sigjmp_buf back;
static _Thread_local struct node handled;

static void check(bool is_right, const char *what)
{
	if (is_right)
		return;
	dprintf(2, "pmu-trees: %s: %s\n", what, strerror(errno));
	_exit(FAILED);
}

static unsigned long mix(unsigned long seed, unsigned long i)
{
	unsigned long z = seed + (i + 1) * 0x9e3779b97f4a7c15UL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
	return z ^ (z >> 31);
}

static void work(void)
{
	long left = n;

	times++;
	if (!is_dry && n > 0)
		__asm__ volatile("1: dec %0\n"
				 "jnz 1b\n"
				 : "+r"(left)
				 :
				 : "cc");
}

/* The same loop, in code that is written as it is needed. */
static void work_in_new_code(void)
{
	static const unsigned char code[] = {
		0x48, 0x89, 0xf8, /* mov %rdi, %rax */
		0x48, 0xff, 0xc8, /* dec %rax */
		0x75, 0xfb,       /* jnz */
		0xc3              /* ret */
	};
	void (*call)(long);
	void *place;

	times++;
	if (is_dry)
		return;
	place = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(place != MAP_FAILED, "mmap");
	memcpy(place, code, sizeof(code));
	check(!mprotect(place, 4096, PROT_READ | PROT_EXEC), "mprotect");
	memcpy(&call, &place, sizeof(call)); /* as POSIX has it */
	call(n);
	check(!munmap(place, 4096), "munmap");
}

static void reap(pid_t child, int wanted)
{
	int status = 0;

	check(child > 0, "no child");
	while (waitpid(child, &status, 0) != child)
		check(errno == EINTR, "waitpid");
	if (status != wanted) {
		dprintf(2, "pmu-trees: status %x, not %x\n", status, wanted);
		_exit(FAILED);
	}
}

/* The command line that continues @node from step @from on. */
static char **command(const struct node *node, int from)
{
	static _Thread_local char words[4][32], *line[6];

	line[0] = file;
	for (int i = 0; i < 4; i++)
		line[i + 1] = words[i];
	snprintf(words[0], sizeof(words[0]), "%lu", node->seed);
	snprintf(words[1], sizeof(words[1]), "%ld", n);
	snprintf(words[2], sizeof(words[2]), "%d", node->depth);
	snprintf(words[3], sizeof(words[3]), "%d", from);
	return line;
}

/* A child: how it ends, and the status its parent sees. */
static void end_child(unsigned long how)
{
	static const int signals[] = { SIGTERM, SIGKILL, SIGSEGV, SIGABRT };

	switch (how % 8) {
	case 0:
	case 1:
	case 2:
	case 3:
		signal(signals[how % 8], SIG_DFL);
		raise(signals[how % 8]);
		break;
	case 4:
		exit(0);
	default:
		_exit(0);
	}
}

static int end_of_child(unsigned long how)
{
	static const int status[] = { SIGTERM, SIGKILL, SIGSEGV, SIGABRT };

	return how % 8 < 4 ? status[how % 8] : 0;
}

static void without_core(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

static void fork_it(const struct node *below)
{
	unsigned long how = mix(below->seed, 1000);
	struct node child = { below->seed, below->depth, !end_of_child(how) };
	pid_t pid;

	if (is_dry) {
		kills += end_of_child(how) == SIGKILL;
		run(&child, 0);
		return;
	}
	pid = fork();
	check(pid >= 0, "fork");
	if (!pid) {
		without_core();
		run(&child, 0);
		while (wait(NULL) > 0 || errno == EINTR)
			;
		end_child(how);
	}
	reap(pid, end_of_child(how));
}

/* Its parent ends at once; the process above all waits for it. */
static void orphan_it(const struct node *below)
{
	struct node child = { below->seed, below->depth, true };
	pid_t pid;

	if (is_dry) {
		run(&child, 0);
		return;
	}
	pid = fork();
	check(pid >= 0, "fork");
	if (!pid) {
		pid = fork();
		check(pid >= 0, "fork");
		if (!pid) {
			setsid();
			run(&child, 0);
		}
		_exit(0);
	}
	reap(pid, 0);
}

static void stop_it(const struct node *below)
{
	struct node child = { below->seed, below->depth, true };
	int status = 0;
	pid_t pid;

	if (is_dry) {
		run(&child, 0);
		return;
	}
	pid = fork();
	check(pid >= 0, "fork");
	if (!pid) {
		raise(SIGSTOP);
		run(&child, 0);
		_exit(0);
	}
	while (waitpid(pid, &status, WUNTRACED) != pid)
		check(errno == EINTR, "waitpid");
	check(WIFSTOPPED(status) && !kill(pid, SIGCONT), "stopped");
	reap(pid, 0);
}

/* A program of its own, in one of four ways. */
static void program_it(const struct node *below)
{
	static char *nothing[] = { NULL };
	struct node child = { below->seed, below->depth, true };
	unsigned long how = mix(below->seed, 1001) % 4;
	char **line, text[4300];
	pid_t pid = -1;

	if (is_dry) {
		run(&child, 0);
		return;
	}
	line = command(&child, 0);
	if (how == 0) {
		pid = vfork();
		if (!pid) {
			execve(file, line, nothing);
			_exit(FAILED);
		}
	} else if (how == 1) {
		check(!posix_spawn(&pid, file, NULL, NULL, line, environment),
		      "spawn");
	} else if (how == 2) {
		snprintf(text, sizeof(text), "%s %s %s %s %s && :", file,
			 line[1], line[2], line[3], line[4]);
		check(!system(text), "system");
		return;
	} else {
		pid = fork();
		if (!pid) {
			execve("/nowhere", line, environment);
			fexecve(open(file, O_RDONLY | O_CLOEXEC), line,
				environment);
			_exit(FAILED);
		}
	}
	reap(pid, 0);
}

static void *run_thread(void *below)
{
	struct node child = *(const struct node *)below;

	run(&child, 0);
	return NULL;
}

static void thread_it(const struct node *below)
{
	struct node child[3];
	pthread_t thread[3];
	int threads = 1 + (int)(mix(below->seed, 1002) % 3);

	for (int i = 0; i < threads; i++)
		child[i] = (struct node){ mix(below->seed, 1100 + (unsigned)i),
					  below->depth, false };
	for (int i = 0; i < threads; i++)
		if (is_dry)
			run(&child[i], 0);
		else
			check(!pthread_create(&thread[i], NULL, run_thread,
					      &child[i]),
			      "pthread_create");
	for (int i = 0; i < threads && !is_dry; i++)
		check(!pthread_join(thread[i], NULL), "pthread_join");
}

static void handle(int number)
{
	struct node below = handled;

	(void)number;
	run(&below, 0);
}

/* A signal handler, entered by a signal or a fault, and left by return or by a
 * jump; on a stack of its own or not. */
static void handle_it(const struct node *below)
{
	unsigned long how = mix(below->seed, 1003);
	struct sigaction action = { .sa_flags = SA_NODEFER };
	struct node child = { below->seed, below->depth, false };
	int number = how % 2 ? SIGUSR1 : SIGUSR2;

	if (is_dry) {
		run(&child, 0);
		return;
	}
	handled = child;
	action.sa_handler = handle;
	check(!sigaction(number, &action, NULL), "sigaction");
	raise(number);
}

static void leave(int number)
{
	work();
	siglongjmp(back, number);
}

static void fault_it(const struct node *below)
{
	struct sigaction action = { .sa_flags = SA_NODEFER };
	int *volatile nowhere = (int *)(8 + below->seed % 4);

	work();
	if (is_dry) {
		times++;
		return;
	}
	action.sa_handler = leave;
	check(!sigaction(SIGSEGV, &action, NULL), "sigaction");
	if (!sigsetjmp(back, 1)) {
		*nowhere = 1;
		_exit(FAILED);
	}
}

static void *exec_there(void *line)
{
	execve(file, line, environment);
	_exit(FAILED);
}

/* The rest of the node in another program's image. */
static void go_on_elsewhere(const struct node *node, int from)
{
	char **line;
	pthread_t thread;

	if (is_dry)
		return;
	line = command(node, from);
	if (mix(node->seed, 1004) % 3 == 0) {
		check(!pthread_create(&thread, NULL, exec_there, line),
		      "thread");
		pthread_join(thread, NULL);
	}
	execve(file, line, environment);
	_exit(FAILED);
}

/* What makes it harder to follow, and changes nothing. */
static void disturb(unsigned long how)
{
	sigset_t all;

	if (is_dry)
		return;
	switch (how % 6) {
	case 0:
		for (int fd = 3; fd < MOST_FDS; fd++)
			close(fd);
		break;
	case 1:
		for (int fd = 8; fd < MOST_FDS; fd++)
			dup2(0, fd);
		break;
	case 2:
		prctl(PR_SET_DUMPABLE, 0);
		break;
	case 3:
		sigfillset(&all);
		sigdelset(&all, SIGUSR1);
		sigdelset(&all, SIGUSR2);
		sigdelset(&all, SIGSEGV);
		sigdelset(&all, SIGABRT);
		sigdelset(&all, SIGTERM);
		pthread_sigmask(SIG_BLOCK, &all, NULL);
		break;
	case 4:
		unshare(CLONE_FILES | CLONE_FS);
		break;
	default:
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 16, 16 });
	}
}

static void step(const struct node *node, int i)
{
	unsigned long seed = mix(node->seed, (unsigned long)i);
	const struct node below = { seed, node->depth - 1, false };
	static void (*const ways[])(const struct node *) = {
		fork_it,   orphan_it, stop_it,   program_it, program_it,
		thread_it, thread_it, handle_it, fault_it
	};
	unsigned long way = mix(seed, 1) % 16;

	if (way == 9)
		work_in_new_code();
	else if (way == 10)
		disturb(mix(seed, 2));
	else if (way == 11 && node->is_main)
		go_on_elsewhere(node, i + 1);
	else if (way < 9 && node->depth > 0)
		ways[way](&below);
	else
		work();
}

static void run(const struct node *node, int from)
{
	for (int i = from; i < STEPS; i++)
		step(node, i);
}

int main(int argc, char **argv)
{
	struct node root = { argc > 1 ? strtoul(argv[1], NULL, 10) : 0,
			     argc > 3 ? atoi(argv[3]) : DEPTH, true };

	environment = environ;
	n = argc > 2 ? atol(argv[2]) : 0;
	is_dry = argc == 2;
	check(argc > 1 &&
		      readlink("/proc/self/exe", file, sizeof(file) - 1) > 0,
	      "file");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	run(&root, argc > 4 ? atoi(argv[4]) : 0);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	if (is_dry)
		printf("%ld %ld\n", times, kills);
	return 0;
}
