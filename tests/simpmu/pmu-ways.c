/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu-ways HOW N: execute a loop of N iterations, two instructions each, in a
 * thread, child or program that is reached in an unusual way. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 20
#define WORDS   100000

extern char **environ;

static long n;
static char file[4096];
static char name[] = "program", here[] = "here", limited[] = "limited";
static char *line[] = { name, here, NULL, NULL };

static void work(long times)
{
	if (times > 0)
		__asm__ volatile("1: dec %0\n"
				 "jnz 1b\n"
				 : "+r"(times)
				 :
				 : "cc");
}

static int reap(void)
{
	int status = 0;

	while (wait(&status) > 0)
		if (status)
			return 1;
	return 0;
}

static int work_in_child(void)
{
	if (!fork()) {
		work(n);
		_exit(0);
	}
	return reap();
}

/* Until there is no child left, whatever kind it is of. */
static void wait_for_all(void)
{
	siginfo_t info;
	int status;

	if (!fork()) {
		work(n);
		_exit(0);
	}
	if (wait4(-1, &status, __WALL, NULL) < 0 || status)
		exit(1);
	exit(wait4(-1, &status, __WALL, NULL) >= 0 || errno != ECHILD ||
	     waitid(P_ALL, 0, &info, WEXITED | __WALL) >= 0 ||
	     waitpid(-1, &status, (int)__WCLONE) >= 0 || errno != ECHILD);
}

/* Each thread makes the next one and ends, before that one has begun: there is
 * one processor only. */
static void *run_relay(void *left)
{
	pthread_t next;

	work(n / THREADS);
	if ((long)left <= 1)
		_exit(0);
	if (pthread_create(&next, NULL, run_relay, (void *)((long)left - 1)))
		_exit(1);
	pthread_detach(next);
	return NULL;
}

static void start_relay(void)
{
	pthread_t first;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	pthread_create(&first, NULL, run_relay, (void *)THREADS);
	pthread_exit(NULL);
}

static int exec_at(int folder, const char *path, int flags)
{
	return (int)syscall(SYS_execveat, folder, path, line, environ, flags);
}

static bool copy_program(int to)
{
	int from = open(file, O_RDONLY | O_CLOEXEC);
	struct stat status;

	return !fstat(from, &status) &&
	       sendfile(to, from, NULL, (size_t)status.st_size) > 0;
}

static void exec_memory(void)
{
	int copy = memfd_create("copy", MFD_CLOEXEC);

	if (copy_program(copy))
		fexecve(copy, line, environ);
}

static void exec_removed(void)
{
	char path[] = "/tmp/pmu-ways-XXXXXX";
	int to = mkstemp(path), copy = open(path, O_RDONLY | O_CLOEXEC);

	unlink(path);
	fchmod(to, 0700);
	if (copy_program(to))
		close(to), fexecve(copy, line, environ);
}

/* The kernel's errors of an exec that is refused. */
static void refuse(int folder, const char *path, int flags, int error)
{
	errno = 0;
	if (exec_at(folder, path, flags) != -1 || errno != error) {
		fprintf(stderr, "%s, flags %x: %s instead of %s\n", path, flags,
			strerror(errno), strerror(error));
		exit(5);
	}
}

static void refuse_all(void)
{
	refuse(AT_FDCWD, file, 0x80000, EINVAL);
	refuse(AT_FDCWD, "", 0, ENOENT);
	refuse(AT_FDCWD, "/proc/self/exe", AT_SYMLINK_NOFOLLOW, ELOOP);
	refuse(77, "program", 0, EBADF);
	refuse(77, "", AT_EMPTY_PATH, EBADF);
	refuse(AT_FDCWD, "/nowhere/nothing", 0, ENOENT);
}

/* Work before, in a child, and in what is exec'd. */
static void go_on(void)
{
	work(n);
	if (!work_in_child())
		execv(file, line);
}

static void limit(int what, rlim_t most)
{
	const struct rlimit to = { most, most };

	if (setrlimit(what, &to))
		exit(6);
}

/* A limit on open files stays over an exec; the loader needs one. */
#define FEW_FILES 4

static bool has_few_files(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) &&
	       limit.rlim_cur == FEW_FILES && limit.rlim_max == FEW_FILES &&
	       dup(0) == FEW_FILES - 1 && dup(0) < 0 && errno == EMFILE;
}

/* A long command line, all of which must arrive. */
static void exec_words(void)
{
	char **words = calloc(WORDS + 4, sizeof(char *));

	if (!words)
		return;
	memcpy(words, line, 3 * sizeof(char *));
	for (int i = 0; i < WORDS; i++)
		words[3 + i] = here;
	execv(file, words);
}

/* time() as it was before there was a vDSO: in a page that can be executed and
 * not read. */
static void call_old_time(void)
{
	long (*old_time)(long *) = (long (*)(long *))0xffffffffff600400;

	work(n);
	exit(old_time(NULL) < 1000);
}

static void spawn(void)
{
	pid_t child;

	if (!posix_spawn(&child, file, NULL, NULL, line, environ))
		exit(reap());
}

static void vfork_exec(void)
{
	if (!vfork()) {
		execv(file, line);
		_exit(9);
	}
	exit(reap());
}

static void *exec_there(void *unused)
{
	execv(file, line);
	return unused;
}

static void exec_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exec_there, NULL);
	pthread_join(thread, NULL);
}

static void exec_by_descriptor(const char *how)
{
	char *slash = strrchr(file, '/');
	int folder;

	if (!strcmp(how, "descriptor"))
		fexecve(open(file, O_RDONLY | O_CLOEXEC), line, environ);
	if (!strcmp(how, "descriptor-path"))
		exec_at(open(file, O_PATH | O_CLOEXEC), "", AT_EMPTY_PATH);
	if (!strcmp(how, "execveat"))
		exec_at(AT_FDCWD, file, 0);
	if (!strcmp(how, "relative")) {
		*slash = '\0';
		if (!chdir(file))
			exec_at(AT_FDCWD, slash + 1, 0);
	}
	if (!strcmp(how, "memory"))
		exec_memory();
	if (!strcmp(how, "removed"))
		exec_removed();
	if (!strcmp(how, "bare")) { /* never what $PATH has of that name */
		*slash = '\0';
		if (!chdir(file))
			execve(slash + 1, line, environ);
	}
	if (!strcmp(how, "folder")) {
		*slash = '\0';
		folder = open(file, O_PATH | O_DIRECTORY | O_CLOEXEC);
		exec_at(folder, slash + 1, 0);
	}
	if (!strcmp(how, "refused")) {
		refuse_all();
		work(n);
		exit(0);
	}
}

static void close_all(const char *how)
{
	if (!strcmp(how, "close"))
		for (int fd = 3; fd < 4096; fd++)
			close(fd);
	else if (!strcmp(how, "close-range"))
		close_range(3, ~0u, 0);
	else if (!strcmp(how, "close-unshared"))
		close_range(3, ~0u, CLOSE_RANGE_UNSHARE);
	else if (!strcmp(how, "close-later"))
		close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	else
		return;
	go_on();
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	n = argc > 2 ? atol(argv[2]) : 0;
	line[2] = argv[2];
	/* which puts no zero at the end, and leaves those that are there */
	if (readlink("/proc/self/exe", file, sizeof(file) - 1) < 0)
		return 9;
	if (!strcmp(how, "here")) {
		work(n);
		return argc != 3 && argc != 3 + WORDS;
	}
	if (!strcmp(how, "limited")) {
		work(n);
		return !has_few_files();
	}
	if (!strcmp(how, "words"))
		exec_words();
	if (!strcmp(how, "old-time"))
		call_old_time();
	if (!strcmp(how, "relay"))
		start_relay();
	if (!strcmp(how, "wait-for-all"))
		wait_for_all();
	if (!strcmp(how, "spawn"))
		spawn();
	if (!strcmp(how, "vfork"))
		vfork_exec();
	if (!strcmp(how, "thread"))
		exec_in_thread();
	exec_by_descriptor(how);
	close_all(how);
	if (!strcmp(how, "no-files"))
		limit(RLIMIT_FSIZE, 0), go_on();
	if (!strcmp(how, "few-files")) {
		line[1] = limited;
		limit(RLIMIT_NOFILE, FEW_FILES), go_on();
	}
	if (!strcmp(how, "few-addresses"))
		limit(RLIMIT_AS, 1 << 28), go_on();
	if (!strcmp(how, "little-data"))
		limit(RLIMIT_DATA, 1 << 24), go_on();
	perror(how);
	return 9;
}
