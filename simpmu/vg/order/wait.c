/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls with --repeatable=yes. Those by which threads wait for each
 * other or for a time are done here, in order (order.h), in place of the
 * kernel; clocks tell the time of order.h.
 *
 * A thread that waits for a word may go on without being woken, as a kernel
 * allows: requeueing wakes all.
 */
#include "simpmu/vg/order/wait.h"

#include <pub_tool_libcfile.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include "simpmu/vg/host/table.h"
#include "simpmu/vg/order/call.h"
#include "simpmu/vg/order/order.h"

/* Of futex(). */
#define OPERATION_MASK 127u
#define ALL_BITS       0xffffffffu

#define TIMED_OUT      110 /* ETIMEDOUT */

/* Of poll(). */
#define CAN_READ  1
#define CAN_WRITE 4

#define ABSOLUTE  1u /* TIMER_ABSTIME */
#define SECOND    1000000000ull

/* 2020-01-01: real time begins with the program, as files' times are past. */
#define BEGINNING 1577836800ull

/* ---- time ---- */

static bool read_time(UWord at, uint64_t *ns)
{
	const struct vki_timespec *t = (const struct vki_timespec *)at;

	if (!is_readable(at, sizeof(*t)) || t->tv_sec < 0 ||
	    (uint64_t)t->tv_nsec >= SECOND)
		return false;
	if (__builtin_mul_overflow((uint64_t)t->tv_sec, SECOND, ns) ||
	    __builtin_add_overflow(*ns, (uint64_t)t->tv_nsec, ns))
		*ns = ORDER_FOREVER;
	return true;
}

static bool is_real_clock(UWord clock)
{
	return clock == VKI_CLOCK_REALTIME || clock == 5; /* _COARSE */
}

/* The time on a clock is later than order_now() by this. */
static uint64_t offset_of(UWord clock)
{
	return is_real_clock(clock) ? BEGINNING * SECOND : 0;
}

/* When a wait until @ns ends: on @clock, or from now on. */
static uint64_t deadline_of(uint64_t ns, bool is_absolute, UWord clock)
{
	uint64_t offset = offset_of(clock), end;

	if (ns == ORDER_FOREVER)
		return ns;
	if (is_absolute)
		return ns > offset ? ns - offset : 0;
	if (__builtin_add_overflow(ns, order_now(), &end))
		return ORDER_FOREVER;
	return end;
}

static Word sleep_until(ThreadId tid, uint64_t deadline, UWord rest)
{
	const struct order_wait wait = { .deadline = deadline };
	struct vki_timespec *left = (struct vki_timespec *)rest;
	uint64_t ns;

	if (order_wait(tid, &wait) != ORDER_INTERRUPTED)
		return 0;
	ns = deadline > order_now() ? deadline - order_now() : 0;
	if (rest &&
	    VG_(am_is_valid_for_client)(rest, sizeof(*left), VKI_PROT_WRITE)) {
		left->tv_sec = (Word)(ns / SECOND);
		left->tv_nsec = (Word)(ns % SECOND);
	}
	return -VKI_EINTR;
}

static void nanosleep_before(ThreadId tid, void *layout, struct arguments *args,
			     struct status *status, UWord *flags)
{
	uint64_t ns;

	(void)layout;
	(void)flags;
	if (!read_time(args->arg[0], &ns))
		finish(status, -VKI_EINVAL);
	else
		finish(status, sleep_until(tid, deadline_of(ns, false, 0),
					   args->arg[1]));
}

static void clock_nanosleep_before(ThreadId tid, void *layout,
				   struct arguments *args,
				   struct status *status, UWord *flags)
{
	bool is_absolute = args->arg[1] & ABSOLUTE;
	uint64_t ns;

	(void)layout;
	(void)flags;
	if (!read_time(args->arg[2], &ns))
		finish(status, -VKI_EINVAL);
	else
		finish(status,
		       sleep_until(tid,
				   deadline_of(ns, is_absolute, args->arg[0]),
				   is_absolute ? 0 : args->arg[3]));
}

static void sched_yield_before(ThreadId tid, void *layout,
			       struct arguments *args, struct status *status,
			       UWord *flags)
{
	(void)layout;
	(void)args;
	(void)flags;
	sleep_until(tid, order_now(), 0);
	finish(status, 0);
}

static void time_before(ThreadId tid, void *layout, struct arguments *args,
			struct status *status, UWord *flags)
{
	uint64_t now = BEGINNING + order_now() / SECOND;
	UWord to = args->arg[0];

	(void)tid;
	(void)layout;
	(void)flags;
	if (to && VG_(am_is_valid_for_client)(to, sizeof(now), VKI_PROT_WRITE))
		*(uint64_t *)to = now;
	finish(status, (Word)now);
}

static void tell_time(UWord at, uint64_t now, uint64_t unit)
{
	Word *time = (Word *)at;

	time[0] = (Word)(now / SECOND);
	time[1] = (Word)(now % SECOND / unit);
}

/* ---- futex ---- */

static Word futex_wait(ThreadId tid, const struct arguments *args,
		       UInt operation)
{
	const UWord *a = args->arg;
	bool has_bits = operation == VKI_FUTEX_WAIT_BITSET;
	struct order_wait wait = { .word = (const volatile UInt *)a[0],
				   .value = (UInt)a[2],
				   .bits = has_bits ? (UInt)a[5] : ALL_BITS,
				   .deadline = ORDER_FOREVER };
	uint64_t ns;

	if (!is_readable(a[0], sizeof(UInt)))
		return -VKI_EFAULT;
	if (!wait.bits || (a[3] && !read_time(a[3], &ns)))
		return -VKI_EINVAL;
	if (a[3])
		wait.deadline = deadline_of(ns, has_bits,
					    a[1] & VKI_FUTEX_CLOCK_REALTIME
						    ? VKI_CLOCK_REALTIME
						    : VKI_CLOCK_MONOTONIC);
	if (*wait.word != wait.value)
		return -VKI_EAGAIN;
	switch (order_wait(tid, &wait)) {
	case ORDER_TIMEOUT:
		return -TIMED_OUT;
	case ORDER_INTERRUPTED:
		return -VKI_EINTR;
	default:
		return 0;
	}
}

/* Threads of this process first, then those of others. */
static Word futex_wake(const UWord *a, UInt operation)
{
	UInt bits = operation == VKI_FUTEX_WAKE_BITSET ? (UInt)a[5] : ALL_BITS;
	UInt n = order_wake((const volatile UInt *)a[0], (UInt)a[2], bits);
	Word more;

	if (a[1] & VKI_FUTEX_PRIVATE_FLAG || n >= (UInt)a[2])
		return (Word)n;
	more = call_kernel(__NR_futex, a[0], VKI_FUTEX_WAKE, a[2] - n, 0);
	return more > 0 ? (Word)n + more : (Word)n;
}

static void futex_before(ThreadId tid, void *layout, struct arguments *args,
			 struct status *status, UWord *flags)
{
	const UWord *a = args->arg;
	UInt operation =
		(UInt)a[1] & OPERATION_MASK & ~(UInt)VKI_FUTEX_PRIVATE_FLAG;

	(void)layout;
	switch (operation) {
	case VKI_FUTEX_WAIT:
	case VKI_FUTEX_WAIT_BITSET:
		finish(status, futex_wait(tid, args, operation));
		return;
	case VKI_FUTEX_WAKE:
	case VKI_FUTEX_WAKE_BITSET:
		finish(status, futex_wake(a, operation));
		return;
	case VKI_FUTEX_REQUEUE:
	case VKI_FUTEX_CMP_REQUEUE:
	case VKI_FUTEX_WAKE_OP: /* who is woken looks again */
		order_wake((const volatile UInt *)a[0], ALL_BITS, ALL_BITS);
		order_wake((const volatile UInt *)a[4], ALL_BITS, ALL_BITS);
		break;
	default:
		*flags |= MAY_BLOCK;
		break;
	}
	status->what = TO_KERNEL;
}

struct entry *wait_entry(UInt number)
{
	static struct entry futex = { futex_before, NULL },
			    nanosleep = { nanosleep_before, NULL },
			    clock_nanosleep = { clock_nanosleep_before, NULL },
			    time = { time_before, NULL },
			    yield = { sched_yield_before, NULL };

	if (!order_is_on())
		return NULL;
	switch (number) {
	case __NR_futex:
		return &futex;
	case __NR_nanosleep:
		return &nanosleep;
	case __NR_clock_nanosleep:
		return &clock_nanosleep;
	case __NR_time:
		return &time;
	case __NR_sched_yield:
		return &yield;
	default:
		return NULL;
	}
}

/* ---- the rest ---- */

/* Whether a read or write of @fd is done at once. */
static bool is_prompt(Int fd, short events)
{
	struct vki_pollfd poll = { fd, events, 0 };
	struct vg_stat st;

	if (VG_(fstat)(fd, &st) || VKI_S_ISREG(st.mode) || VKI_S_ISDIR(st.mode))
		return true;
	return call_kernel(__NR_poll, (UWord)&poll, 1, 0, 0) != 0;
}

/* Whether the call may take as long as something outside the process. */
static bool may_sleep(UInt number, const UWord *args)
{
	switch (number) {
	case __NR_read:
	case __NR_readv:
		return !is_prompt((Int)args[0], CAN_READ);
	case __NR_write:
	case __NR_writev:
		return !is_prompt((Int)args[0], CAN_WRITE);
	case __NR_poll:
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
		return args[number == __NR_poll ? 2 : 3] != 0;
	case __NR_open:
	case __NR_openat:
	case __NR_close:
	case __NR_pread64:
	case __NR_pwrite64:
	case __NR_stat:
	case __NR_lstat:
	case __NR_fstat:
	case __NR_newfstatat:
	case __NR_statx:
	case __NR_access:
	case __NR_faccessat:
	case __NR_readlink:
	case __NR_readlinkat:
	case __NR_getdents64:
	case __NR_unlink:
	case __NR_rename:
	case __NR_mkdir:
	case __NR_rmdir:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_ioctl:
	case __NR_getrandom:
	case __NR_madvise:
	case __NR_tgkill:
	case __NR_tkill:
	case __NR_kill:
	case __NR_clone:
	case __NR_futex:
		return number == __NR_futex &&
		       (args[1] & OPERATION_MASK) != VKI_FUTEX_WAKE_OP;
	default:
		return true;
	}
}

void wait_before_syscall(ThreadId tid, UInt number, const UWord *args)
{
	order_may_sleep(tid, may_sleep(number, args));
}

void wait_after_syscall(UInt number, const UWord *args)
{
	switch (number) {
	case __NR_tgkill:
	case __NR_tkill:
	case __NR_kill:
		order_signal();
		break;
	case __NR_clock_gettime:
		tell_time(args[1], order_now() + offset_of(args[0]), 1);
		break;
	case __NR_gettimeofday:
		if (args[0])
			tell_time(args[0],
				  order_now() + offset_of(VKI_CLOCK_REALTIME),
				  1000);
		break;
	default:
		break;
	}
}
