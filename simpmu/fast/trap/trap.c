/* SPDX-License-Identifier: BSD-3-Clause */
/* Traps; see trap.h. The code that tests them is written by armed.c. */
#include "simpmu/fast/trap/trap.h"

#include "simpmu/fast/block.h"
#include "simpmu/fast/hook.h"
#include "simpmu/fast/insn.h"
#include "simpmu/fast/mode.h"
#include "simpmu/fast/sys.h"
#include "simpmu/x86/effect.h"

#define CODE_QUEUE (-1) /* SI_QUEUE: all that a process may send itself */
#define INFO_CODE  8    /* where siginfo_t has si_code */
#define INFO_BAND  16
#define INFO_FILE  24

static struct {
	unsigned used;
	struct engine_trap traps[ENGINE_TRAPS];
} state;

_Static_assert(ENGINE_TRAPS == THREAD_TRAPS, "as many as struct thread has");

unsigned trap_used(void)
{
	return state.used;
}

int32_t trap_sum(unsigned slot, const int32_t amount[TALLY_ARCH_COUNT])
{
	int32_t sum = 0;

	for (int s = 0; s < TALLY_ARCH_COUNT; s++)
		sum += state.traps[slot].weight[s] * amount[s];
	return sum;
}

void trap_init_thread(struct thread *t)
{
	t->armed = 0;
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		t->left[slot] = TRAP_DISARMED;
}

/* ---- what the PMU layer calls ---- */

bool engine_traps_model(void)
{
	return false;
}

/* Translations have the weights in them. */
static void forget_translations(void)
{
	engine_lock();
	block_armed_init();
	block_kill_all();
	engine_unlock();
}

void engine_trap_set(unsigned slot, const struct engine_trap *trap)
{
	if (trap) {
		state.traps[slot] = *trap;
		state.used |= 1u << slot;
		forget_translations();
		return;
	}
	state.used &= ~(1u << slot);
	engine_lock();
	for (struct thread *t = threads; t; t = t->next) {
		t->armed &= ~(1u << slot);
		t->left[slot] = TRAP_DISARMED;
	}
	engine_unlock();
}

/* A thread that runs meanwhile has to leave translations that do not test. */
void engine_trap_arm(unsigned slot, unsigned tid, uint64_t count)
{
	struct thread *t = thread_numbered(tid);
	unsigned before;

	if (!t)
		return;
	before = t->armed;
	t->left[slot] = count ? (int64_t)count : TRAP_DISARMED;
	if (count)
		t->armed |= 1u << slot;
	else
		t->armed &= ~(1u << slot);
	if (!before && t->armed && t != hook_caller())
		forget_translations();
}

uint64_t engine_trap_left(unsigned slot, unsigned tid)
{
	const struct thread *t = thread_numbered(tid);

	return t && t->armed >> slot & 1 ? (uint64_t)t->left[slot] : 0;
}

/*
 * To the calling thread. It comes at once, and is kept until the engine is left
 * (signal.c), or once the guest does not block it any more. What a process may
 * not send itself is filled in where it is kept.
 */
void engine_queue_signal(unsigned tid, const struct engine_signal *signal)
{
	struct thread *t = thread_numbered(tid);
	int64_t pid = SYS(__NR_getpid, 0, 0, 0), band = signal->band;
	uint8_t info[INFO_BYTES];
	int32_t code = CODE_QUEUE, fd = signal->fd;
	bool is_first = t && !t->pending;

	if (!t)
		return;
	memset(info, 0, sizeof(info));
	memcpy(info, &signal->signo, sizeof(signal->signo));
	memcpy(info + INFO_CODE, &code, sizeof(code));
	memcpy(info + INFO_FILE, &fd, sizeof(fd));
	sys6(__NR_rt_tgsigqueueinfo, (uint64_t)pid, (uint64_t)t->kernel_tid,
	     (uint64_t)signal->signo, (uint64_t)info, 0, 0);
	if (!is_first || (int)t->pending != signal->signo)
		return;
	memcpy(t->pending_info + INFO_CODE, &signal->code,
	       sizeof(signal->code));
	memcpy(t->pending_info + INFO_BAND, &band, sizeof(band));
	memcpy(t->pending_info + INFO_FILE, &fd, sizeof(fd));
}

/* ---- what is left ---- */

void trap_adjust(struct thread *t, const int32_t amount[TALLY_ARCH_COUNT],
		 int sign)
{
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		if (t->armed >> slot & 1)
			t->left[slot] -= sign * trap_sum(slot, amount);
}

/* Iterations of a rep that were run since the step began. */
static void account_rep(struct thread *t, const struct x86 *x)
{
	int32_t amount[TALLY_ARCH_COUNT];
	uint64_t times = t->stepped_rcx - t->reg[RCX];

	memset(amount, 0, sizeof(amount));
	effect_of_iteration(x, amount);
	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		if (t->armed >> slot & 1)
			t->left[slot] -=
				(int64_t)times * trap_sum(slot, amount);
}

void trap_begin_step(struct thread *t)
{
	t->stepped = t->pc;
	t->stepped_rcx = t->reg[RCX];
}

uint64_t trap_end_step(struct thread *t)
{
	uint64_t pc = t->stepped;
	int32_t amount[TALLY_ARCH_COUNT];
	struct x86 x;

	t->stepped = 0;
	if (!pc || !insn_read(pc, &x))
		return pc;
	memset(amount, 0, sizeof(amount));
	effect_of_instruction(&x, x.length, amount);
	if (x.branch == BRANCH_COND && t->pc != pc + x.length)
		amount[TALLY_BR_TAKEN]++;
	trap_adjust(t, amount, 1);
	if (x.flags & X86_REP)
		account_rep(t, &x);
	return pc;
}

void trap_cut_step(struct thread *t, bool is_rep)
{
	struct x86 x;

	if (is_rep && t->stepped && insn_read(t->stepped, &x))
		account_rep(t, &x);
	t->stepped = 0;
}

void trap_call(struct thread *t, unsigned slot, uint64_t address)
{
	t->left[slot] = TRAP_DISARMED;
	t->armed &= ~(1u << slot);
	state.traps[slot].fire(slot, t->number, address);
}

void trap_fire(struct thread *t, uint64_t address)
{
	unsigned slots = 0;

	for (unsigned slot = 0; slot < ENGINE_TRAPS; slot++)
		if (t->armed >> slot & 1 && t->left[slot] <= 0)
			slots |= 1u << slot;
	if (slots)
		hook_trap(t, slots, address);
}
