/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls as they pass; see watch.h. */
#include "simpmu/fast/watch.h"

#include "simpmu/fast/hook.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/wire.h"

#define ERROR_BAD_FD  (-9)
#define FAMILY_UNIX   1u
#define SET_SECCOMP   22u    /* PR_SET_SECCOMP */
#define OPEN_TO_WRITE 0x243u /* O_WRONLY, O_RDWR, O_CREAT, O_TRUNC */

static unsigned varies(const uint64_t *reg)
{
	switch (reg[RAX]) {
	case __NR_getrandom:
		return WIRE_VARIES_RANDOM;
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
	case __NR_clone:
		return WIRE_VARIES_THREADS;
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
	case __NR_stat:
	case __NR_lstat:
	case __NR_fstat:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_readlink:
	case __NR_getuid:
	case __NR_geteuid:
	case __NR_getgid:
	case __NR_getegid:
	case __NR_getpid:
	case __NR_gettid:
	case __NR_uname:
	case __NR_sysinfo:
	case __NR_clock_gettime:
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_sched_getaffinity:
		return false;
	case __NR_read: /* of a file that it has opened itself */
	case __NR_pread64:
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
	if (!process.had_effect)
		process.had_effect = has_effect(reg);
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
		if ((uint32_t)reg[RDI] > own || (uint32_t)reg[RSI] < own ||
		    reg[RDX])
			return false;
		*result = close_around((uint32_t)reg[RDI], (uint32_t)reg[RSI],
				       reg[RDX]);
		return true;
	default:
		return false;
	}
}
