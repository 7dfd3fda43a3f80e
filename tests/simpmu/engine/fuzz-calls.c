/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random sequences of system calls, in an empty directory: prints what each
 * returned, and nothing that depends on where it runs.
 *
 * usage: fuzz-calls SEED CALLS
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES  4
#define FDS    24 /* 0 to 2 are left alone */
#define BLOCKS 4
#define PAGES  4

static uint64_t state;
static char *blocks[BLOCKS]; /* of PAGES pages each, or NULL */
static sigjmp_buf jump;
static volatile sig_atomic_t seen, fault;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static const char *file(void)
{
	static const char *const names[FILES] = { "a", "b", "d/c", "d" };

	return names[pick(FILES)];
}

static int fd(void)
{
	return pick(20) ? 3 + (int)pick(FDS - 3) : -1 - (int)pick(3);
}

/* Mostly memory; now and then what is none. */
static void *memory(void)
{
	static char room[8192];

	switch (pick(12)) {
	case 0:
		return NULL;
	case 1:
		return (void *)(uintptr_t)-4096;
	case 2:
		return (void *)(uintptr_t)0x7ff0000000000000;
	case 3:
	case 4:
		return blocks[pick(BLOCKS)];
	default:
		return room;
	}
}

/* The same for what differs from run to run: it is not looked at. */
static void *varying(void)
{
	static char room[64];

	return pick(3) ? room : (char *)(uintptr_t)-4096;
}

static void say(const char *what, long result)
{
	if (result < 0)
		printf("%s %s\n", what, strerrorname_np(errno));
	else
		printf("%s %ld\n", what, result);
}

/* ---- files ---- */

static void call_open(void)
{
	static const int flags[] = { O_RDONLY,
				     O_WRONLY | O_CREAT,
				     O_RDWR | O_CREAT,
				     O_RDWR | O_TRUNC,
				     O_RDWR | O_APPEND | O_CREAT,
				     O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
				     O_DIRECTORY,
				     O_PATH | O_NOFOLLOW };
	int f = open(file(), flags[pick(8)], 0640);

	if (f >= FDS)
		close(f);
	say("open", f);
}

static void call_on_file(void)
{
	size_t n = pick(5000);
	struct iovec parts[2] = { { memory(), pick(50) }, { memory(), 7 } };

	switch (pick(10)) {
	case 0:
		say("read", read(fd(), memory(), n));
		break;
	case 1:
		say("write", write(fd(), memory(), n));
		break;
	case 2:
		say("pread", pread(fd(), memory(), n, pick(9000)));
		break;
	case 3:
		say("pwrite", pwrite(fd(), memory(), n, pick(9000)));
		break;
	case 4:
		say("lseek", lseek(fd(), (int)pick(9000) - 10, (int)pick(4)));
		break;
	case 5:
		say("ftruncate", ftruncate(fd(), (int)pick(9000) - 10));
		break;
	case 6:
		say("readv", readv(fd(), parts, (int)pick(3)));
		break;
	case 7:
		say("writev", writev(fd(), parts, 2));
		break;
	case 8:
		say("getfl", fcntl(fd(), F_GETFL));
		break;
	default:
		say("setfd", fcntl(fd(), F_SETFD, (int)pick(2)));
	}
}

static void call_on_fd(void)
{
	struct stat st;
	int two[2], f = fd();

	switch (pick(9)) {
	case 0:
	case 1:
		say("close", f < 3 ? -1 : close(f));
		break;
	case 2:
		f = dup(f);
		if (f >= FDS)
			close(f);
		say("dup", f);
		break;
	case 3:
		say("dup2", dup2(f, 3 + (int)pick(FDS - 3)));
		break;
	case 4:
		say("dup3",
		    dup3(f, 3 + (int)pick(FDS - 3), pick(2) ? O_CLOEXEC : 0));
		break;
	case 5:
		say("pipe", pipe2(two, O_NONBLOCK));
		break;
	case 6:
		say("socketpair",
		    socketpair(AF_UNIX,
			       SOCK_STREAM | SOCK_NONBLOCK | (int)pick(2), 0,
			       two));
		break;
	case 7:
		say("eventfd", eventfd(pick(9), EFD_NONBLOCK));
		break;
	default:
		say("fstat", fstat(f, &st) ? -1 : (long)st.st_mode);
	}
	while (fcntl(FDS, F_GETFD) >= 0 || fcntl(FDS + 1, F_GETFD) >= 0) {
		close(FDS);
		close(FDS + 1);
	}
}

static void call_on_name(void)
{
	char text[64] = "";
	struct stat st;

	switch (pick(11)) {
	case 0:
		say("rename", rename(file(), file()));
		break;
	case 1:
		say("link", link(file(), file()));
		break;
	case 2:
		say("unlink", unlink(file()));
		break;
	case 3:
		say("symlink", symlink(file(), file()));
		break;
	case 4:
		say("readlink", readlink(file(), text, pick(64)));
		printf("  %s\n", text);
		break;
	case 5:
		say("mkdir", mkdir(file(), 0750));
		break;
	case 6:
		say("rmdir", rmdir(file()));
		break;
	case 7:
		say("access", access(file(), (int)pick(8)));
		break;
	case 8:
		say("chmod", chmod(file(), 0600 | pick(64)));
		break;
	case 9:
		say("stat",
		    stat(file(), &st) ? -1 : (long)(st.st_mode + st.st_nlink));
		break;
	default:
		say("open by a bad name",
		    open(memory(), O_RDONLY | O_PATH) < 0);
	}
}

/* ---- memory ---- */

static void call_map(void)
{
	unsigned b = pick(BLOCKS);
	int prot = (int)pick(4);
	int flags = pick(4) ? MAP_PRIVATE : MAP_SHARED;
	char *at;

	if (blocks[b]) {
		say("munmap", munmap(blocks[b], PAGES * 4096));
		blocks[b] = NULL;
		return;
	}
	if (pick(2))
		at = mmap(NULL, PAGES * 4096, prot, flags | MAP_ANONYMOUS, -1,
			  0);
	else
		at = mmap(NULL, PAGES * 4096, prot, flags, fd(),
			  pick(5) ? 0 : (int)pick(8192));
	say("mmap", at == MAP_FAILED ? -1 : 0);
	if (at != MAP_FAILED)
		blocks[b] = at;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	fault = sig * 100 + info->si_code;
	siglongjmp(jump, 1);
}

/* What is there, or how it faults. */
static void touch_at(volatile char *at, bool is_write)
{
	volatile int value = 0;

	if (sigsetjmp(jump, 1)) {
		printf("fault %d\n", fault);
		return;
	}
	if (is_write)
		*at = 1;
	else
		value = *at;
	printf("touched %d\n", value);
}

static void touch(void)
{
	char *at = blocks[pick(BLOCKS)];
	unsigned offset = pick(PAGES * 4096);

	if (at)
		touch_at(at + offset, pick(2));
}

/* A hole is closed at once: who else is given the place is not told here. */
static void make_hole(char *at)
{
	say("part unmapped", munmap(at, 4096));
	touch_at(at, pick(2));
	say("fixed",
	    mmap(at, 4096, (int)pick(4),
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at);
}

/* What is larger in between can lie elsewhere afterwards. */
static void call_mremap(char **at)
{
	char *moved =
		mremap(*at, PAGES * 4096, 2 * PAGES * 4096, MREMAP_MAYMOVE);

	say("mremap", moved == MAP_FAILED ? -1 : 0);
	if (moved == MAP_FAILED)
		return;
	*at = moved;
	touch_at(moved + (2 * PAGES - 1) * 4096, true);
	say("mremap",
	    mremap(moved, 2 * PAGES * 4096, PAGES * 4096, 0) != moved);
}

static void call_on_memory(void)
{
	char **at = &blocks[pick(BLOCKS)];
	size_t from = 4096 * pick(PAGES), n = 4096 * pick(PAGES) + pick(2);

	if (!*at)
		return;
	if (from + n > PAGES * 4096)
		n = PAGES * 4096 - from;
	switch (pick(6)) {
	case 0:
		say("mprotect", mprotect(*at + from, n, (int)pick(4)));
		break;
	case 1:
		say("madvise", madvise(*at + from, n,
				       pick(2) ? MADV_DONTNEED : MADV_NORMAL));
		break;
	case 2:
		say("msync", msync(*at + from, n, MS_SYNC));
		break;
	case 3:
		make_hole(*at + from);
		break;
	case 4:
		call_mremap(at);
		break;
	default:
		say("brk", sbrk(8192) == (void *)-1);
		say("brk", sbrk(-8192) == (void *)-1);
	}
}

/* ---- signals, processes, others ---- */

static void on_signal(int sig)
{
	seen = seen * 3 + sig;
}

static void call_signal(void)
{
	sigset_t set, old;
	struct timespec none = { 0, 0 };

	sigemptyset(&set);
	sigaddset(&set, pick(2) ? SIGUSR1 : SIGUSR2);
	switch (pick(6)) {
	case 0:
		say("block", sigprocmask(SIG_BLOCK, &set, &old));
		break;
	case 1:
		say("unblock", sigprocmask(SIG_UNBLOCK, &set, &old));
		break;
	case 2:
		say("raise", raise(pick(2) ? SIGUSR1 : SIGUSR2));
		break;
	case 3:
		sigpending(&old);
		say("pending", sigismember(&old, SIGUSR1) * 2 +
				       sigismember(&old, SIGUSR2));
		break;
	case 4:
		say("sigtimedwait", sigtimedwait(&set, NULL, &none));
		break;
	default:
		say("kill", kill(getpid(), (int)pick(2) * 99));
	}
	printf("  seen %d\n", (int)seen);
}

static void call_child(void)
{
	int status = 0;
	bool is_vfork = pick(2);
	pid_t child;

	fflush(stdout);
	child = is_vfork ? vfork() : fork();
	if (child == 0) {
		if (is_vfork) {
			execl("/bin/false", "false", (char *)NULL);
			_exit(7);
		}
		if (pick(3) == 0)
			kill(getpid(), SIGTERM);
		_exit((int)pick(50));
	}
	say("wait", waitpid(child, &status, 0) == child ? status : -1);
}

static void call_other(void)
{
	struct pollfd p = { .fd = fd(), .events = POLLIN | POLLOUT };
	struct rlimit limit;
	char name[20] = "";

	switch (pick(7)) {
	case 0:
		say("poll", poll(&p, 1, 0));
		printf("  %d\n", p.revents);
		break;
	case 1:
		say("getrlimit", getrlimit((int)pick(20), &limit));
		break;
	case 2:
		say("prctl", prctl(PR_GET_NAME, name));
		break;
	case 3:
		say("none", syscall((long)(600 + pick(99)), memory(), fd()));
		break;
	case 4:
		say("umask", (long)umask(pick(512)));
		break;
	case 5:
		say("getrandom", syscall(SYS_getrandom, varying(), pick(9), 0));
		break;
	default:
		say("clock", syscall(SYS_clock_gettime, pick(4), varying()));
	}
}

static void set_handlers(void)
{
	struct sigaction fault_action = { .sa_sigaction = on_fault,
					  .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &fault_action, NULL);
	sigaction(SIGBUS, &fault_action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
}

int main(int argc, char **argv)
{
	static void (*const calls[])(void) = {
		call_open,  call_on_file,   call_on_file, call_on_fd,
		call_on_fd, call_on_name,   call_map,     call_on_memory,
		touch,      call_on_memory, call_signal,  call_other,
	};

	if (argc < 3)
		return 2;
	state = strtoull(argv[1], NULL, 0);
	set_handlers();
	for (long n = strtol(argv[2], NULL, 0); n > 0; n--) {
		if (pick(60) == 0)
			call_child();
		else
			calls[pick(sizeof(calls) / sizeof(calls[0]))]();
	}
	return 0;
}
