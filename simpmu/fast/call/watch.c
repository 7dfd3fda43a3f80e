/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls as they pass; see watch.h. */
#include "simpmu/fast/call/watch.h"

#include <asm/stat.h>

#include "simpmu/fast/hook.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/model/machine.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/varies.h"
#include "simpmu/wire.h"

#define ERROR_BAD_FD   (-9)
#define FAMILY_UNIX    1u
#define SET_SECCOMP    22u /* PR_SET_SECCOMP */
#define START_BYTES    16
#define CLONE_IN_GROUP 0x00010000u /* CLONE_THREAD */

/* Of what glibc's malloc asks for, a key that decides nothing. */
#define KEY_BYTES       8
#define KEY_FLAGS       1

#define IS_DEVICE       0020000u /* S_IFCHR of S_IFMT, 0170000 */

#define FUTEX_OPERATION 127u
#define FUTEX_WAKES     1u
#define FCNTL_GETFD     1u
#define FCNTL_GETFL     3u
#define IOCTL_TCGETS    0x5401u
#define SEEK_FROM_HERE  1u
#define CLONE_A_THREAD  0x10000u

#define CLOSE_UNSHARED  2u     /* CLOSE_RANGE_UNSHARE */
#define OPEN_TO_WRITE   0x243u /* O_WRONLY, O_RDWR, O_CREAT, O_TRUNC */

static unsigned varies(const uint64_t *reg)
{
	switch (reg[RAX]) {
	case __NR_clock_gettime:
	case __NR_gettimeofday:
	case __NR_time:
	case __NR_times:
	case __NR_getrusage:
	case __NR_alarm:
	case __NR_setitimer:
	case __NR_timer_create:
		return WIRE_VARIES_CLOCK;
	case __NR_getpid:
	case __NR_getppid:
	case __NR_gettid:
		return WIRE_VARIES_IDS;
	case __NR_clone: /* several processes are noted by the PMU layer */
		return reg[RDI] & CLONE_IN_GROUP ? WIRE_VARIES_THREADS : 0;
	case __NR_socket:
		return reg[RDI] == FAMILY_UNIX ? 0 : WIRE_VARIES_NETWORK;
	case __NR_prctl:
		return reg[RDI] == SET_SECCOMP ? WIRE_VARIES_SECCOMP : 0;
	case __NR_seccomp:
		return WIRE_VARIES_SECCOMP;
	default:
		return 0;
	}
}

/* Calls that change nothing that another process could see: up to the first
 * other one, the program can be started again by another engine. */
static bool has_effect(const uint64_t *reg)
{
	switch (reg[RAX]) {
	case __NR_mmap:
		return reg[R10] & MAP_IS_SHARED && reg[RDX] & PROT_W;
	case __NR_open:
		return reg[RSI] & OPEN_TO_WRITE;
	case __NR_openat:
		return reg[RDX] & OPEN_TO_WRITE;
	case __NR_prlimit64:
		return reg[RDX] != 0;
	case __NR_brk:
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_mremap:
	case __NR_madvise:
	case __NR_arch_prctl:
	case __NR_set_tid_address:
	case __NR_set_robust_list:
	case __NR_rseq:
	case __NR_getrandom:
	case __NR_access:
	case __NR_faccessat:
	case __NR_faccessat2:
	case __NR_stat:
	case __NR_lstat:
	case __NR_fstat:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_readlink:
	case __NR_readlinkat: /* of its own file, by glibc from 2.41 on */
	case __NR_getuid:
	case __NR_geteuid:
	case __NR_getgid:
	case __NR_getegid:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_uname:
	case __NR_sysinfo:
	case __NR_clock_gettime:
	case __NR_clock_getres:
	case __NR_gettimeofday:
	case __NR_time:
	case __NR_getrusage:
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_sigaltstack:
	case __NR_sched_getaffinity:
	case __NR_getcwd:
	case __NR_poll: /* Rust's runtime looks whether 0 to 2 are open */
	case __NR_ppoll:
	case __NR_pipe: /* closed before the other engine starts */
	case __NR_pipe2:
	case __NR_eventfd2:
	case __NR_epoll_create1:
	case __NR_clone3: /* fails here */
		return false;
	case __NR_futex:
		return (reg[RSI] & FUTEX_OPERATION) != FUTEX_WAKES;
	case __NR_fcntl:
		return reg[RSI] != FCNTL_GETFD && reg[RSI] != FCNTL_GETFL;
	case __NR_ioctl:
		return reg[RSI] != IOCTL_TCGETS &&
		       (int)reg[RDI] < process.first_fd;
	case __NR_lseek:
		return (reg[RSI] || reg[RDX] != SEEK_FROM_HERE) &&
		       (int)reg[RDI] < process.first_fd;
	case __NR_read: /* of a file that it has opened itself */
	case __NR_pread64:
	case __NR_getdents64:
	case __NR_close:
		return (int)reg[RDI] < process.first_fd;
	default:
		return true;
	}
}

void watch_call(const uint64_t *reg)
{
	unsigned what = varies(reg);

	if (what)
		hook_varies(what);
	if (what & WIRE_VARIES_SECCOMP && !process.is_confined) {
		machine_stop();
		process.is_confined = true;
	}
	if (process.had_effect || !has_effect(reg))
		return;
	process.had_effect = true;
	hook_varies(0); /* what was kept until now */
}

bool watch_library(const uint64_t *reg)
{
	static const char *const names[] = { "libassay.so", "libpapi.so",
					     "libhpm" };
	uint64_t path = reg[RAX] == __NR_openat ? reg[RSI]
			: reg[RAX] == __NR_open ? reg[RDI]
						: 0;
	char text[256] = "", *name = text;
	size_t n = PAGE - path % PAGE;

	/* a path may end before its page does */
	if (!path || guest_copy(text, (const void *)path,
				n < sizeof(text) - 1 ? n : sizeof(text) - 1))
		return false;
	for (char *c = text; *c; c++)
		if (*c == '/')
			name = c + 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_begins(name, names[i]))
			return true;
	return false;
}

static struct {
	bool is_fixed;   /* --repeatable=yes */
	bool has_opened; /* a device of random numbers */
	uint64_t state;  /* of those that are given out */
} chance = { .state = 0x9e3779b97f4a7c15ULL };

bool watch_option(const char *arg)
{
	if (text_equal(arg, "--repeatable=yes"))
		chance.is_fixed = true;
	else
		return text_equal(arg, "--repeatable=no");
	return true;
}

bool watch_is_thread(const uint64_t *reg)
{
	return reg[RAX] == __NR_clone && reg[RDI] & CLONE_A_THREAD;
}

/* In the same order each time, or as cycles need it. */
bool watch_thread(const uint64_t *reg)
{
	return (chance.is_fixed || log_parts & PART_CYCLE) &&
	       watch_is_thread(reg);
}

static void fill(uint8_t *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		chance.state ^= chance.state << 13;
		chance.state ^= chance.state >> 7;
		chance.state ^= chance.state << 17;
		to[i] = (uint8_t)(chance.state >> 32);
	}
}

void watch_start(void *bytes)
{
	fill(bytes, START_BYTES);
}

static void open_file(uint64_t at)
{
	const char *path = (const char *)at;

	if (text_equal(path, "/dev/urandom") || text_equal(path, "/dev/random"))
		chance.has_opened = true;
	if (varies_path(path))
		hook_varies(WIRE_VARIES_SYSTEM);
}

/* Of the memory devices, numbers 8 and 9. */
static bool is_random_file(uint64_t fd)
{
	struct stat st;

	return chance.has_opened && !SYS(__NR_fstat, (int)fd, &st, 0) &&
	       (st.st_mode & 0170000u) == IS_DEVICE &&
	       (st.st_rdev == (1 << 8 | 8) || st.st_rdev == (1 << 8 | 9));
}

static void give(uint64_t to, int64_t n)
{
	if (chance.is_fixed)
		fill((uint8_t *)to, (uint64_t)n);
	else
		hook_varies(WIRE_VARIES_RANDOM);
}

void watch_after(const uint64_t *reg, int64_t result)
{
	if (is_error(result))
		return;
	switch (reg[RAX]) {
	case __NR_getrandom:
		if (chance.is_fixed || reg[RSI] != KEY_BYTES ||
		    reg[RDX] != KEY_FLAGS)
			give(reg[RDI], result);
		break;
	case __NR_open:
		open_file(reg[RDI]);
		break;
	case __NR_openat:
		open_file(reg[RSI]);
		break;
	case __NR_read:
		if (is_random_file(reg[RDI]))
			give(reg[RSI], result);
		break;
	default:
		break;
	}
}

/* Close [first, last] but for the engine's file, in two pieces. */
static int64_t close_around(uint64_t first, uint64_t last, uint64_t flags)
{
	uint64_t own = (uint64_t)process.shared_fd;
	int64_t result = 0;

	if (first < own)
		result = SYS(__NR_close_range, first, own - 1, flags);
	if (!result && last > own)
		result = SYS(__NR_close_range, own + 1, last, flags);
	return result;
}

bool watch_file(const uint64_t *reg, int64_t *result)
{
	uint64_t own = (uint64_t)process.shared_fd;

	if (process.shared_fd < 0)
		return false;
	switch (reg[RAX]) {
	case __NR_close:
		*result = ERROR_BAD_FD;
		return (uint32_t)reg[RDI] == own;
	case __NR_dup2:
	case __NR_dup3:
		*result = ERROR_BAD_FD;
		return (uint32_t)reg[RSI] == own;
	case __NR_close_range:
		/* at an exec the engine's file stays by itself */
		if ((uint32_t)reg[RDI] > own || (uint32_t)reg[RSI] < own ||
		    reg[RDX] & ~(uint64_t)CLOSE_UNSHARED)
			return false;
		*result = close_around((uint32_t)reg[RDI], (uint32_t)reg[RSI],
				       reg[RDX]);
		return true;
	default:
		return false;
	}
}
