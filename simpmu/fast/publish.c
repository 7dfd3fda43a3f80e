/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The publisher; see publish.h.
 *
 * It is neither a thread, which programs could see (unshare, setns and
 * /proc/self/task would be different), nor a child that wait() finds: it
 * shares the memory, has a process number and a group of its own, no open file
 * but the control file, and ends with no signal. The kernel tells it when its
 * parent is gone, whichever way.
 *
 * It reads counters of threads that run. A block is counted when it is entered,
 * a trace when it is left: what it reads is right but for the path that each
 * thread is on at that moment.
 */
#include "simpmu/fast/publish.h"

#include "simpmu/fast/hook.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/pmu/host.h"
#include "simpmu/wire.h"

#define CLONE_MEMORY 0x100u /* CLONE_VM, and no signal at the end */
#define SET_DEATH    1      /* PR_SET_PDEATHSIG */
#define SET_NAME     15     /* PR_SET_NAME */
#define SIGNAL_KILL  9
#define SIGNAL_GONE  64
#define WAIT_ALL     0x40000000 /* __WALL */
#define FUTEX_WAIT   0
#define FUTEX_WAKE   1
#define RESTORER     0x04000000u
#define IDLE_SECONDS 1 /* for the case that both are killed together */
#define STACK_BYTES  65536
#define QUICK_TURNS  100u
#define MOMENTS      1000u
#define MOMENT_NS    1000000u

extern int64_t publisher_clone(uint64_t flags, uint64_t stack,
			       void (*function)(void));
extern const uint8_t signal_restorer[];

static struct {
	int32_t pid;          /* of the publisher; 0: none */
	int32_t parent;       /* whom it serves */
	int32_t is_serving;   /* it has begun */
	int32_t is_over;      /* it has to end */
	const uint32_t *word; /* changes when counts are asked for */
	uint64_t lock;        /* its byte of the control file */
	uint8_t *stack;
} state;

bool publish_is_coming(void)
{
	return state.pid &&
	       !__atomic_load_n(&state.is_serving, __ATOMIC_ACQUIRE);
}

int32_t publish_for(int32_t pid)
{
	return pid == __atomic_load_n(&state.pid, __ATOMIC_RELAXED)
		       ? state.parent
		       : pid;
}

static bool is_parent_gone(void)
{
	return SYS(__NR_getppid, 0, 0, 0) != state.parent;
}

bool publish_is_alone(void)
{
	return SYS(__NR_getpid, 0, 0, 0) ==
		       __atomic_load_n(&state.pid, __ATOMIC_RELAXED) &&
	       is_parent_gone();
}

/* Turns are not enough to tell the time: on a busy machine each of ten thousand
 * may take milliseconds. */
bool publish_wait(unsigned turn)
{
	const uint64_t moment[2] = { 0, MOMENT_NS };

	if (turn < QUICK_TURNS) {
		SYS(__NR_sched_yield, 0, 0, 0);
		return true;
	}
	if (publish_is_alone() || turn == QUICK_TURNS + MOMENTS)
		return false;
	SYS(__NR_nanosleep, moment, 0, 0);
	return true;
}

/* As the process would have done at its end. */
static void finish(void)
{
	hook_process_gone();
	SYS(__NR_exit, 0, 0, 0);
	__builtin_unreachable();
}

/* The kernel's handler: a thread of the parent has ended, the last one too? */
static void notice(int sig)
{
	(void)sig;
	if (is_parent_gone())
		finish();
}

static void allow_notice(bool allowed)
{
	uint64_t mask = ~UINT64_C(0);

	if (allowed)
		mask &= ~(UINT64_C(1) << (SIGNAL_GONE - 1));
	sys6(__NR_rt_sigprocmask, 2, (uint64_t)&mask, 0, 8, 0, 0);
}

static void stand_apart(void)
{
	struct action action = { .handler = (uint64_t)notice,
				 .flags = RESTORER,
				 .restorer = (uint64_t)signal_restorer,
				 .mask = ~UINT64_C(0) };

	if (process.shared_fd > 0)
		SYS(__NR_close_range, 0, process.shared_fd - 1, 0);
	SYS(__NR_close_range, process.shared_fd + 1, ~0u, 0);
	host_hold(state.lock, true);
	SYS(__NR_setpgid, 0, 0, 0);
	SYS(__NR_prctl, SET_NAME, "simpmu-publish", 0);
	sys6(__NR_rt_sigaction, SIGNAL_GONE, (uint64_t)&action, 0, 8, 0, 0);
	SYS(__NR_prctl, SET_DEATH, SIGNAL_GONE, 0);
}

static void serve(void)
{
	const uint64_t idle[2] = { IDLE_SECONDS, 0 };

	/* it may be here before the clone has returned */
	__atomic_store_n(&state.pid, (int32_t)SYS(__NR_getpid, 0, 0, 0),
			 __ATOMIC_RELAXED);
	allow_notice(false);
	stand_apart();
	__atomic_store_n(&state.is_serving, 1, __ATOMIC_RELEASE);
	for (;;) {
		uint32_t seen = __atomic_load_n(state.word, __ATOMIC_ACQUIRE);

		if (is_parent_gone())
			finish();
		if (__atomic_load_n(&state.is_over, __ATOMIC_ACQUIRE))
			SYS(__NR_exit, 0, 0, 0);
		hook_publish();
		allow_notice(true);
		sys6(__NR_futex, (uint64_t)state.word, FUTEX_WAIT, seen,
		     (uint64_t)idle, 0, 0);
		allow_notice(false);
	}
}

/* Whether children are of the same PID namespace: else the publisher would be
 * the first process of a new one, which is to be the guest's child. */
static bool has_own_children(void)
{
	char own[64] = "", theirs[64] = "";

	SYS(__NR_readlink, "/proc/self/ns/pid", own, sizeof(own) - 1);
	SYS(__NR_readlink, "/proc/self/ns/pid_for_children", theirs,
	    sizeof(theirs) - 1);
	return text_equal(own, theirs);
}

void publish_start(void)
{
	uint32_t place;
	uint64_t mask;
	int64_t pid;

	state.word = has_own_children() ? hook_attention(&place) : NULL;
	if (!state.word)
		return;
	state.is_over = state.is_serving = 0;
	state.lock = (uint64_t)WIRE_LOCKS + WIRE_PROCESSES + place;
	state.parent = (int32_t)SYS(__NR_getpid, 0, 0, 0);
	if (!state.stack)
		state.stack = sys_memory(STACK_BYTES);
	mask = signal_block_all();
	pid = publisher_clone(CLONE_MEMORY,
			      (uint64_t)(state.stack + STACK_BYTES - 64),
			      serve);
	state.pid = is_error(pid) ? 0 : (int32_t)pid;
	signal_set_mask(mask);
}

/* A process that has given up its rights may not kill it: it ends itself. */
void publish_stop(void)
{
	if (!state.pid)
		return;
	if (SYS(__NR_kill, state.pid, SIGNAL_KILL, 0)) {
		__atomic_store_n(&state.is_over, 1, __ATOMIC_RELEASE);
		SYS(__NR_futex, state.word, FUTEX_WAKE, ~0u >> 1);
	}
	while (sys6(__NR_wait4, (uint64_t)state.pid, 0, WAIT_ALL, 0, 0, 0) ==
	       -4) /* EINTR */
		;
	state.pid = 0;
}

void publish_forget(void)
{
	state.pid = 0;
}
