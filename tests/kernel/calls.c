/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libc's functions, as the modelled kernel answers them. What is not about its
 * events goes to the real kernel. Linked into a test or preloaded, this is the
 * only seam: the library calls what it always calls.
 */
#include "tests/kernel/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/kernel/kernel.h"

#define EXPORT __attribute__((visibility("default")))
#define FDS    65536

void (*mk_before_rdpmc)(void);

/* The event behind a descriptor of this process, plus one. */
static int event_of[FDS];
static char state_folder[96];
static _Thread_local int depth;
static _Thread_local int self = -1;
static _Thread_local pid_t self_tid;

long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
			   "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result < 0 && result > -4096) {
		errno = (int)-result;
		return -1;
	}
	return result;
}

void mk_ring_path(char *to, size_t size, uint64_t id)
{
	snprintf(to, size, "%s/ring-%llu", state_folder,
		 (unsigned long long)id);
}

static uint64_t real_clock(clockid_t id)
{
	struct timespec t = { 0 };

	raw_call(SYS_clock_gettime, id, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t mk_clock(void)
{
	return mk->cpu_clock ? real_clock(CLOCK_MONOTONIC) : mk->now;
}

static pid_t own_tid(void)
{
	return (pid_t)raw_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

int mk_task_self(void)
{
	pid_t tid = own_tid(), pid = getpid();
	int found;

	if (self >= 0 && self_tid == tid)
		return self;
	found = mk_task_find(tid);
	if (found < 0)
		found = mk_task_add(pid, tid,
				    mk_task_find(tid == pid ? getppid() : pid));
	self = found;
	self_tid = tid;
	return found;
}

/* CPU time by /proc, which knows threads of other processes. */
static uint64_t time_elsewhere(const struct mk_task *t)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", t->pid,
		 t->tid);
	fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0, 0);
	if (fd < 0)
		return 0;
	raw_call(SYS_read, fd, (long)text, sizeof(text) - 1, 0, 0, 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	return strtoull(text, NULL, 10);
}

uint64_t mk_task_clock(int task)
{
	const struct mk_task *t = &mk->tasks[task];

	if (!mk->cpu_clock)
		return 0;
	if (t->ended)
		return t->final;
	if (t->tid == own_tid())
		return real_clock(CLOCK_THREAD_CPUTIME_ID);
	return time_elsewhere(t);
}

/* Whether process @pid was killed: it may have been in here. */
static bool is_gone(int pid)
{
	char path[64], text[128] = "";
	const char *state;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY, 0, 0, 0);
	if (fd < 0)
		return true;
	raw_call(SYS_read, fd, (long)text, sizeof(text) - 1, 0, 0, 0);
	raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
	state = strrchr(text, ')');
	return !state || !strncmp(state, ") Z", 3) || !strncmp(state, ") X", 3);
}

static void take_lock(void)
{
	int holder = 0;

	for (unsigned tries = 1;
	     !__atomic_compare_exchange_n(&mk->lock, &holder, getpid(), false,
					  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	     tries++) {
		if (tries % 1000 || !is_gone(holder))
			holder = 0; /* else take it from the one that is gone */
		sched_yield();
	}
}

void mk_enter(void)
{
	int task;

	if (depth++ > 0)
		return;
	take_lock();
	task = mk_task_self();
	if (!mk->cpu_clock) {
		mk->tasks[task].extra += MK_CALL_NS;
		mk->now += MK_CALL_NS;
	}
	mk_advance();
}

void mk_leave(void)
{
	if (--depth > 0)
		return;
	for (int i = 0; i < mk->n_events; i++)
		if (mk->events[i].used && mk->events[i].lock_pages)
			mk_page_update(i);
	__atomic_store_n(&mk->lock, 0, __ATOMIC_RELEASE);
	mk_send_signals();
}

void mk_forget_self(void)
{
	self = -1;
}

void mk_leave_quietly(bool child)
{
	if (child)
		depth--;
	else
		mk_leave();
}

static int event_at(int fd)
{
	return mk && fd >= 0 && fd < FDS ? event_of[fd] - 1 : -1;
}

static long open_event(const long *a)
{
	int leader_fd = (int)a[3], leader = event_at(leader_fd);
	char path[128];
	int event, fd, error;

	if (leader_fd >= 0 && leader < 0) {
		errno = EBADF;
		return -1;
	}
	mk_enter();
	event = mk_open((void *)a[0], (pid_t)a[1], (int)a[2], leader,
			(unsigned long)a[4]);
	if (event < 0) {
		error = errno;
		mk_leave();
		errno = error;
		return -1;
	}
	mk_ring_path(path, sizeof(path), mk->events[event].id);
	fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)path,
			   O_RDWR | O_CREAT | O_CLOEXEC, 0600, 0, 0);
	mk->events[event].owner = getpid();
	mk->events[event].fd = fd;
	if (fd >= 0 && fd < FDS)
		event_of[fd] = event + 1;
	else
		mk_release(event);
	mk_leave();
	return fd;
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open && mk)
		return open_event(a);
	return raw_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

EXPORT ssize_t read(int fd, void *to, size_t bytes)
{
	int event = event_at(fd);
	ssize_t got;

	if (event < 0)
		return raw_call(SYS_read, fd, (long)to, (long)bytes, 0, 0, 0);
	mk_enter();
	mk->reads++;
	got = mk_read(event, to, bytes);
	mk_leave();
	return got;
}

EXPORT int close(int fd)
{
	int event = event_at(fd);
	char path[128];

	if (event >= 0) {
		event_of[fd] = 0;
		mk_enter();
		if (mk->events[event].used &&
		    mk->events[event].owner == getpid() &&
		    mk->events[event].fd == fd) {
			mk_ring_path(path, sizeof(path), mk->events[event].id);
			raw_call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0, 0,
				 0);
			mk_release(event);
		}
		mk_leave();
	}
	return (int)raw_call(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* Share the ring of another event. */
static int set_output(int event, int to)
{
	struct mk_event *e = &mk->events[event];

	if (to >= 0 && mk->events[to].cpu != e->cpu)
		return EINVAL;
	e->output = to < 0 ? event : to;
	for (int i = 0; i < mk->n_events; i++)
		if (mk->events[i].used && mk->events[i].parent == event)
			mk->events[i].output = e->output;
	return 0;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	int event = event_at(fd), error;
	va_list list;
	unsigned long argument;

	va_start(list, request);
	argument = va_arg(list, unsigned long);
	va_end(list);
	if (event < 0)
		return (int)raw_call(SYS_ioctl, fd, (long)request,
				     (long)argument, 0, 0, 0);
	mk_enter();
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		error = set_output(event, event_at((int)argument));
	else
		error = mk_control(event, request, argument);
	mk_leave();
	errno = error;
	return error ? -1 : 0;
}

/* [perf_mmap(): one page and a power of two more; what may be locked] */
static int lend(int event, size_t bytes)
{
	struct mk_event *e = &mk->events[event];
	uint64_t pages = bytes / 4096;

	if (bytes % 4096 || pages == 0 || ((pages - 1) & (pages - 2)) > 0)
		return EINVAL;
	if (e->attr.inherit && e->cpu < 0)
		return EINVAL;
	if (e->lock_pages && e->ring_bytes != (pages - 1) * 4096)
		return EINVAL;
	if (!e->lock_pages && !mk->privileged &&
	    mk->locked_pages + pages > mk->max_locked_pages)
		return EPERM;
	if (!e->lock_pages) {
		mk->locked_pages += pages;
		e->lock_pages = (int)pages;
		e->ring_bytes = (pages - 1) * 4096;
	}
	return 0;
}

EXPORT void *mmap(void *at, size_t bytes, int prot, int flags, int fd,
		  off_t offset)
{
	int event = event_at(fd);

	if (event >= 0) {
		int error;

		mk_enter();
		error = lend(event, bytes);
		if (!error)
			raw_call(SYS_ftruncate, fd, (long)bytes, 0, 0, 0, 0);
		mk_leave();
		if (error) {
			errno = error;
			return MAP_FAILED;
		}
	}
	return (void *)raw_call(SYS_mmap, (long)at, (long)bytes, prot, flags,
				fd, offset);
}

static int control_file(int event, int command, long argument)
{
	struct mk_event *e = &mk->events[event];

	if (command == F_SETSIG)
		e->sig = (int)argument;
	else if (command == F_SETOWN_EX)
		e->to = ((struct f_owner_ex *)argument)->pid;
	else if (command == F_SETFL)
		e->async = (argument & O_ASYNC) != 0;
	else
		return command == F_GETFL ? O_RDWR : 0;
	return 0;
}

EXPORT int fcntl(int fd, int command, ...)
{
	int event = event_at(fd);
	va_list list;
	long argument;

	va_start(list, command);
	argument = va_arg(list, long);
	va_end(list);
	if (event >= 0 && command != F_SETFD && command != F_GETFD)
		return control_file(event, command, argument);
	return (int)raw_call(SYS_fcntl, fd, command, argument, 0, 0, 0);
}

/* With 64-bit offsets the headers call these by other names; both are ours. */
EXPORT int plain_fcntl(int fd, int command, ...) __asm__("fcntl")
	__attribute__((alias("fcntl64")));
EXPORT void *plain_mmap(void *at, size_t bytes, int prot, int flags, int fd,
			off_t offset) __asm__("mmap")
	__attribute__((alias("mmap64"), nothrow, leaf));

EXPORT int sched_getcpu(void)
{
	int cpu;

	if (!mk)
		return 0;
	mk_enter();
	cpu = mk->tasks[mk_task_self()].cpu;
	mk_leave();
	return cpu;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *to)
{
	uint64_t ns;

	if (!mk || mk->cpu_clock ||
	    (id != CLOCK_THREAD_CPUTIME_ID && id != CLOCK_MONOTONIC))
		return (int)raw_call(SYS_clock_gettime, id, (long)to, 0, 0, 0,
				     0);
	mk_enter();
	ns = id == CLOCK_MONOTONIC ? mk->now : mk->tasks[mk_task_self()].work;
	mk_leave();
	to->tv_sec = (time_t)(ns / 1000000000);
	to->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

/* Emulate rdpmc; anything else that faults, faults. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const void *)r[REG_RIP];
	struct sigaction plain = { .sa_handler = SIG_DFL };
	uint64_t value;
	bool valid;

	if (info->si_code != SI_KERNEL || code[0] != 0x0f || code[1] != 0x33) {
		sigaction(signal, &plain, NULL);
		return;
	}
	if (mk_before_rdpmc)
		mk_before_rdpmc();
	value = mk_rdpmc((uint32_t)r[REG_RCX], &valid);
	if (!valid) {
		sigaction(signal, &plain, NULL);
		return;
	}
	r[REG_RAX] = (greg_t)(uint32_t)value;
	r[REG_RDX] = (greg_t)(value >> 32);
	r[REG_RIP] += 2;
}

void mk_calls_init(const char *folder)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	snprintf(state_folder, sizeof(state_folder), "%s", folder);
	sigaction(SIGSEGV, &action, NULL);
	memset(event_of, 0, sizeof(event_of));
	mk_views_forget();
	self = -1;
	depth = 0;
}
