/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals as they come from the kernel; see signal.h. The guest's own calls
 * about signals are in sigcall.c, its frames in frame.c.
 */
#include "simpmu/fast/signal/signal.h"

#include "simpmu/fast/account.h"
#include "simpmu/fast/block.h"
#include "simpmu/fast/call/syscall.h"
#include "simpmu/fast/map.h"
#include "simpmu/fast/model/log.h"
#include "simpmu/fast/pages.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/frame.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"
#include "simpmu/fast/trap/trap.h"
#include "simpmu/pmu/host.h"

#define SIG_ILL     4
#define SIG_TRAP    5
#define SIG_BUS     7
#define SIG_FPE     8
#define SIG_SEGV    11

#define FLAG_TF     0x100u
#define CODE_TRACE  2    /* TRAP_TRACE */
#define CODE_KERNEL 0x80 /* si_addr is not set */
#define CODE_QUEUE  -1   /* SI_QUEUE */
#define ERROR_WRITE 2u
#define BIT(sig)    (UINT64_C(1) << ((sig)-1))

extern const uint8_t redispatch[], enter_cache[], enter_jump[],
	enter_cache_end[], syscall_check[], syscall_insn[], guest_copy_insn[],
	guest_copy_fault[];

/* A signal on its way to the guest. */
struct arrival {
	int sig;
	uint8_t info[INFO_BYTES];
	uint64_t mask; /* the kernel's before it came */
	struct context *c;
};

static int32_t code_of(const uint8_t *info)
{
	int32_t code;

	memcpy(&code, info + 8, sizeof(code));
	return code;
}

static uint64_t address_of(const uint8_t *info)
{
	uint64_t address;

	memcpy(&address, info + 16, sizeof(address));
	return address;
}

/* si_value of a queued signal. */
static uint64_t value_of(const uint8_t *info)
{
	uint64_t value;

	memcpy(&value, info + 24, sizeof(value));
	return value;
}

/* Whether the processor raised it at this instruction. */
static bool is_synchronous(int sig, const uint8_t *info)
{
	return (sig == SIG_ILL || sig == SIG_TRAP || sig == SIG_BUS ||
		sig == SIG_FPE || sig == SIG_SEGV) &&
	       code_of(info) > 0;
}

static bool is_in(uint64_t pc, const uint8_t *start, const uint8_t *end)
{
	return pc >= (uint64_t)start && pc < (uint64_t)end;
}

static bool is_in_cache(uint64_t pc)
{
	return pc >= CACHE_BASE && pc < STUB_END;
}

/* What is left of a signal that has no handler, and goes on. */
static void let_be(struct thread *t, const struct arrival *a)
{
	const struct action *action = &t->actions[a->sig];

	a->c->mask = a->mask & ~BIT(SIG_SEGV);
	if (action->handler ||
	    signal_default((unsigned)a->sig) != DEFAULT_STOPS)
		return;
	/* it comes again at the end of this handler, and the kernel stops */
	signal_tell_kernel((unsigned)a->sig, action);
	SYS(__NR_tgkill, SYS(__NR_getpid, 0, 0, 0), t->kernel_tid, a->sig);
}

/* Whether the processor or the kernel insists on it. */
static bool is_forced(const struct thread *t, const struct arrival *a)
{
	return is_synchronous(a->sig, a->info) &&
	       (t->actions[a->sig].handler <= 1 ||
		(a->sig == SIG_SEGV && t->segv_blocked));
}

static bool make_frame(struct thread *t, const struct arrival *a)
{
	if (frame_make(t, a->sig, a->info, a->c, a->mask))
		return true;
	return pages_unprotect_all() &&
	       frame_make(t, a->sig, a->info, a->c, a->mask);
}

/* The guest's stack has no room for a frame: that is a fault of its own. */
static void fault_at_frame(struct thread *t, struct arrival *a)
{
	const int32_t words[] = { SIG_SEGV, 0, CODE_KERNEL };

	if (a->sig == SIG_SEGV)
		process_die(t, SIG_SEGV);
	a->sig = SIG_SEGV;
	memset(a->info, 0, INFO_BYTES);
	memcpy(a->info, words, sizeof(words));
	if (is_forced(t, a) || !make_frame(t, a))
		process_die(t, SIG_SEGV);
}

/* The guest's state is in *t: its handler is next, or its end. */
static void deliver(struct thread *t, struct arrival *a)
{
	uint64_t handler = t->actions[a->sig].handler;

	t->pending = 0;
	t->stepped = 0;
	t->stepping = t->leaving = false;
	t->place = IN_ENGINE;
	if (is_forced(t, a) ||
	    (!handler && signal_default((unsigned)a->sig) == DEFAULT_ENDS))
		process_die(t, a->sig);
	if (handler <= 1)
		let_be(t, a);
	else if (!make_frame(t, a))
		fault_at_frame(t, a);
	a->c->reg[CONTEXT_FLAGS] &= ~(uint64_t)FLAG_TF;
	a->c->reg[CONTEXT_RIP] = (uint64_t)redispatch;
}

/* Keep it for later; until then nothing else may come. */
static void keep(struct thread *t, const struct arrival *a)
{
	if (t->pending)
		return;
	t->pending_mask = a->mask;
	memcpy(t->pending_info, a->info, INFO_BYTES);
	t->pending = (uint64_t)a->sig;
}

/* Step on to the next place where the guest's state is its own. */
static void step(struct thread *t, struct arrival *a)
{
	if (!t->stepping) {
		keep(t, a);
		t->stepping = true;
	}
	a->c->mask = ~(BIT(SIG_SEGV) | BIT(SIG_TRAP));
	a->c->reg[CONTEXT_FLAGS] |= FLAG_TF;
}

/* ---- in translated code ---- */

/* The translation has spilled a register that the fault leaves so. */
static void fix_registers(struct thread *t, const struct map_entry *e)
{
	if (e->fix == FIX_BRANCH)
		t->reg[RCX] = t->spill[0];
	else if (e->fix >= FIX_SCRATCH)
		t->reg[e->fix - FIX_SCRATCH] = t->spill[0];
}

/* Fault addresses that are the instruction's own. */
static void fix_address(const struct thread *t, struct arrival *a)
{
	if (code_of(a->info) != CODE_KERNEL &&
	    (a->sig == SIG_ILL || a->sig == SIG_FPE || a->sig == SIG_TRAP))
		memcpy(a->info + 16, &t->pc, sizeof(t->pc));
}

/* Bytes that emit_store() takes: behind them the register may be changed. */
#define STORE_BYTES 9

static void take_state(struct thread *t, uint32_t entry, uint64_t pc,
		       const struct context *c)
{
	const struct map_entry *e = map_get(entry);

	frame_take_registers(t, c);
	t->pc = e->pc;
	if (e->held)
		t->reg[e->held] = t->held;
	if (pc >= (uint64_t)e->at + STORE_BYTES)
		fix_registers(t, e);
	log_cut(t, entry);
	account_part(t, entry);
	trap_cut_step(t, e->fix == FIX_REP);
}

static void arrive_in_cache(struct thread *t, struct arrival *a, uint64_t pc,
			    bool synchronous)
{
	uint32_t entry = map_find(pc);
	bool clean = pc < STUB_BASE && map_get(entry)->at == (uint32_t)pc;

	if (!clean && !synchronous) {
		step(t, a);
		return;
	}
	take_state(t, entry, pc, a->c);
	if (synchronous)
		fix_address(t, a);
	deliver(t, a);
}

/* ---- in the engine ---- */

static void arrive_in_syscall(struct thread *t, struct arrival *a, uint64_t pc)
{
	if (pc == (uint64_t)syscall_insn + 2)
		t->reg[RAX] = a->c->reg[frame_register(RAX)];
	else
		syscall_rewind(t);
	t->reg[RCX] = t->pc;
	t->reg[R11] = t->flags;
	deliver(t, a);
}

static int64_t queue(const struct thread *t, int sig, const uint8_t *info)
{
	return sys6(__NR_rt_tgsigqueueinfo, (uint64_t)SYS(__NR_getpid, 0, 0, 0),
		    (uint64_t)t->kernel_tid, (uint64_t)sig, (uint64_t)info, 0,
		    0);
}

/* Whether it is the engine's own of signal_deliver(); one for which the kernel
 * had no memory has lost all that was said of it. */
static bool is_carrier(const struct thread *t, const struct arrival *a)
{
	int32_t sender;

	memcpy(&sender, a->info + 16, sizeof(sender));
	return (code_of(a->info) == CODE_QUEUE &&
		value_of(a->info) == (uint64_t)t) ||
	       (code_of(a->info) == 0 && sender == 0);
}

static void arrive_in_engine(struct thread *t, struct arrival *a, uint64_t pc)
{
	if (t->place == IN_DELIVERY) {
		if (!is_carrier(t, a)) /* it was there before: it comes again */
			queue(t, a->sig, a->info);
		a->sig = (int)t->pending;
		memcpy(a->info, t->pending_info, INFO_BYTES);
		a->mask = t->pending_mask;
		deliver(t, a);
	} else if (t->pending) {
		a->c->mask = ~BIT(SIG_SEGV);
	} else if (t->place == IN_SYSCALL && pc >= (uint64_t)syscall_check &&
		   pc <= (uint64_t)syscall_insn + 2) {
		arrive_in_syscall(t, a, pc);
	} else if (is_in(pc, enter_cache, enter_cache_end)) {
		deliver(t, a);
	} else {
		keep(t, a);
		a->c->mask = ~BIT(SIG_SEGV);
	}
}

/* ---- what is the engine's own ---- */

/* A write to code that was translated; true if that was it. */
static bool is_code_change(struct thread *t, const struct arrival *a,
			   uint64_t pc)
{
	const struct block *running = NULL;
	bool is_own;

	if (!(a->c->reg[CONTEXT_ERROR] & ERROR_WRITE))
		return false;
	if (pc >= CACHE_BASE && pc < CACHE_END)
		running = block_numbered(map_path_of(map_find(pc))->block);
	else if (pc != (uint64_t)guest_copy_insn)
		return false;
	if (!pages_write_fault(address_of(a->info), running, &is_own))
		return false;
	/* after this write, the rest of the translation is not to be run */
	if (is_own && !t->stepping) {
		t->leaving = true;
		a->c->reg[CONTEXT_FLAGS] |= FLAG_TF;
	}
	return true;
}

static bool is_for_engine(struct thread *t, struct arrival *a, uint64_t pc)
{
	if (a->sig != SIG_SEGV && a->sig != SIG_BUS)
		return false;
	if (a->sig == SIG_SEGV && is_code_change(t, a, pc))
		return true;
	if (pc != (uint64_t)guest_copy_insn)
		return false;
	a->c->reg[CONTEXT_RIP] = (uint64_t)guest_copy_fault;
	return true;
}

/* A step has been made; true if that is all. */
static bool make_step(struct thread *t, struct arrival *a, uint64_t pc)
{
	uint32_t entry;

	a->c->reg[CONTEXT_FLAGS] &= ~(uint64_t)FLAG_TF;
	if (t->stepping) {
		a->sig = (int)t->pending;
		memcpy(a->info, t->pending_info, INFO_BYTES);
		a->mask = t->pending_mask;
		return false;
	}
	if (!is_in_cache(pc)) {
		t->leaving = false;
		return true;
	}
	entry = map_find(pc);
	if (pc >= STUB_BASE || map_get(entry)->at != (uint32_t)pc) {
		a->c->reg[CONTEXT_FLAGS] |= FLAG_TF;
		return true;
	}
	take_state(t, entry, pc, a->c);
	t->leaving = false;
	a->c->reg[CONTEXT_RIP] = (uint64_t)redispatch;
	return true;
}

/* Where the guest went is no code, or no address: see dispatch.c. Some
 * processors refuse to jump there, others come back from there. */
static bool is_nowhere(const struct thread *t, uint64_t pc)
{
	return t->target == t->pc &&
	       (pc == t->target || pc == (uint64_t)enter_jump);
}

/* From entry.S, as the kernel's handler. */
void signal_handle(int sig, const uint8_t *info, struct context *c);

void signal_handle(int sig, const uint8_t *info, struct context *c)
{
	struct thread *t = thread_self();
	struct arrival a = { .sig = sig, .mask = c->mask, .c = c };
	uint64_t pc = c->reg[CONTEXT_RIP];
	bool synchronous = is_synchronous(sig, info);
	char text[64];

	memcpy(a.info, info, INFO_BYTES);
	if (synchronous && is_for_engine(t, &a, pc))
		return;
	if (sig == SIG_TRAP && code_of(info) == CODE_TRACE &&
	    (t->stepping || t->leaving)) {
		synchronous = false;
		if (make_step(t, &a, pc))
			return;
	}
	if (is_in_cache(pc)) {
		arrive_in_cache(t, &a, pc, synchronous);
		return;
	}
	if (synchronous && is_nowhere(t, pc)) {
		frame_take_registers(t, c);
		deliver(t, &a);
		return;
	}
	if (synchronous) {
		text_format(text, sizeof(text), "%d at %x, guest at %x",
			    (uint64_t)sig, pc, t->pc);
		host_give_up(125, "the fast engine failed: signal %s", text);
	}
	t->stepping = false;
	arrive_in_engine(t, &a, pc);
}

/*
 * From entry.S: a signal was kept and the guest's state is in *t. Another one,
 * its carrier, is queued and unblocked, so that the kernel makes a frame with
 * the floating-point state of now; its handler does not return here. The signal
 * itself cannot be: it would come behind those of its number that wait already.
 */
void signal_deliver(struct thread *t);

void signal_deliver(struct thread *t)
{
	const int32_t words[] = { SIG_TRAP, 0, CODE_QUEUE };
	uint8_t info[INFO_BYTES];

	memset(info, 0, sizeof(info));
	memcpy(info, words, sizeof(words));
	memcpy(info + 24, &t, sizeof(t)); /* si_value */
	t->place = IN_DELIVERY;
	/* a filter of system calls may forbid the first */
	if (is_error(queue(t, SIG_TRAP, info)))
		SYS(__NR_tgkill, SYS(__NR_getpid, 0, 0, 0), t->kernel_tid,
		    SIG_TRAP);
	signal_set_mask(~BIT(SIG_TRAP));
	host_give_up(125, "the fast engine failed: a signal was lost%s", "");
}
