/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest's system calls about signals: actions, masks, alternate stack,
 * return from a handler. SIGSEGV is never blocked in the kernel's mask, and
 * has the engine's handler always, as has SIGTRAP; so have the signals that
 * end a process by default, that its counts can be published before.
 */
#include "simpmu/fast/pause.h"
#include "simpmu/fast/process.h"
#include "simpmu/fast/signal/frame.h"
#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define SEGV_BIT        (UINT64_C(1) << 10)
#define SET_BYTES       8
#define ERROR_FAULT     (-14)
#define ERROR_MEMORY    (-12)
#define ERROR_INVALID   (-22)
#define ERROR_BUSY      (-1) /* EPERM: on that stack */
#define ACTION_INFO     0x00000004u
#define ACTION_RESTORER 0x04000000u
#define ACTION_ONSTACK  0x08000000u
#define ACTION_NODEFER  0x40000000u
#define ACTION_ONCE     0x80000000u
#define SMALLEST_STACK  2048u
#define BIT(sig)        (UINT64_C(1) << ((sig)-1))
#define KILL_STOP       (BIT(9) | BIT(19))
#define SIG_TRAP        5
#define SIG_KILL        9
#define SIG_SEGV        11

enum {
	MASK_BLOCK,
	MASK_UNBLOCK,
	MASK_SET
};

extern const uint8_t signal_entry[], signal_restorer[], resume_entry[];
extern void signal_return(void *frame);

void signal_set_mask(uint64_t mask)
{
	mask &= ~SEGV_BIT;
	sys6(__NR_rt_sigprocmask, MASK_SET, (uint64_t)&mask, 0, SET_BYTES, 0,
	     0);
}

uint64_t signal_block_all(void)
{
	uint64_t all = ~SEGV_BIT, old = 0;

	sys6(__NR_rt_sigprocmask, MASK_SET, (uint64_t)&all, (uint64_t)&old,
	     SET_BYTES, 0, 0);
	return old;
}

enum default_action signal_default(unsigned sig)
{
	switch (sig) {
	case 17: /* CHLD, CONT, URG, WINCH */
	case 18:
	case 23:
	case 28:
		return DEFAULT_IGNORES;
	case 19: /* STOP, TSTP, TTIN, TTOU */
	case 20:
	case 21:
	case 22:
		return DEFAULT_STOPS;
	default:
		return DEFAULT_ENDS;
	}
}

/* Signals that end a process, if nothing is done about them, and tell it. */
static bool ends_process(unsigned sig)
{
	return sig != SIG_KILL && signal_default(sig) == DEFAULT_ENDS;
}

int64_t signal_tell_kernel(unsigned sig, const struct action *wanted)
{
	struct action a = *wanted;

	if (sig == SIG_SEGV || sig == SIG_TRAP || a.handler > 1 ||
	    (!a.handler && ends_process(sig))) {
		a.handler = (uint64_t)signal_entry;
		a.flags = (wanted->flags & ~(uint64_t)ACTION_ONCE) |
			  ACTION_INFO | ACTION_ONSTACK | ACTION_RESTORER;
		a.restorer = (uint64_t)signal_restorer;
		a.mask = ~SEGV_BIT;
		if (sig == SIG_SEGV)
			a.flags |= ACTION_NODEFER;
	}
	return sys6(__NR_rt_sigaction, sig, (uint64_t)&a, 0, SET_BYTES, 0, 0);
}

void signal_init(struct thread *t)
{
	uint64_t mask = 0;

	for (unsigned sig = 1; sig < SIGNALS; sig++) {
		struct action *a = &t->actions[sig];

		sys6(__NR_rt_sigaction, sig, 0, (uint64_t)a, SET_BYTES, 0, 0);
		if (sig == SIG_SEGV || sig == SIG_TRAP ||
		    (!a->handler && ends_process(sig)))
			signal_tell_kernel(sig, a);
	}
	/* a program may be started with SIGSEGV blocked */
	sys6(__NR_rt_sigprocmask, MASK_SET, 0, (uint64_t)&mask, SET_BYTES, 0,
	     0);
	t->segv_blocked = mask & SEGV_BIT;
	signal_set_mask(mask);
}

int64_t signal_action(struct thread *t)
{
	uint64_t sig = t->reg[RDI];
	struct action wanted, before;
	int64_t result = 0;

	if (sig < 1 || sig >= SIGNALS || t->reg[R10] != SET_BYTES)
		return ERROR_INVALID;
	before = t->actions[sig];
	if (t->reg[RSI]) {
		if (guest_copy(&wanted, (void *)t->reg[RSI], sizeof(wanted)))
			return ERROR_FAULT;
		if (BIT(sig) & KILL_STOP)
			return ERROR_INVALID;
		wanted.mask &= ~KILL_STOP;
		/* a handler that comes at once must find it */
		t->actions[sig] = wanted;
		result = signal_tell_kernel((unsigned)sig, &wanted);
		if (is_error(result))
			t->actions[sig] = before;
	}
	if (!result && t->reg[RDX] &&
	    guest_copy((void *)t->reg[RDX], &before, sizeof(before)))
		return ERROR_FAULT;
	return result;
}

static uint64_t changed(uint64_t mask, uint64_t how, uint64_t set)
{
	if (how == MASK_BLOCK)
		return mask | set;
	if (how == MASK_UNBLOCK)
		return mask & ~set;
	return set;
}

/*
 * Everything is blocked meanwhile: what the kernel says is the guest's mask
 * only while no signal is kept, and none may come before the new one is set.
 */
int64_t signal_mask(struct thread *t)
{
	uint64_t how = t->reg[RDI], set = 0, mask, before;

	if (t->reg[R10] != SET_BYTES || (t->reg[RSI] && how > MASK_SET))
		return ERROR_INVALID;
	if (t->reg[RSI] && guest_copy(&set, (void *)t->reg[RSI], sizeof(set)))
		return ERROR_FAULT;
	mask = signal_block_all();
	if (t->pending)
		return SYSCALL_AGAIN;
	before = mask = mask | t->segv_blocked;
	if (t->reg[RSI])
		mask = changed(mask, how, set);
	t->segv_blocked = mask & SEGV_BIT;
	signal_set_mask(mask);
	if (t->reg[RDX] &&
	    guest_copy((void *)t->reg[RDX], &before, sizeof(before)))
		return ERROR_FAULT;
	return 0;
}

/* As the kernel has it: stack_t. */
struct stack {
	uint64_t start;
	uint32_t flags, unused;
	uint64_t bytes;
};

static int64_t set_alternate(struct thread *t, const struct stack *stack)
{
	uint32_t mode = stack->flags & ~STACK_LEAVES;

	if (frame_is_on_alternate(t))
		return ERROR_BUSY;
	if (mode != 0 && mode != STACK_ON && mode != STACK_DISABLED)
		return ERROR_INVALID;
	if (mode != STACK_DISABLED && stack->bytes < SMALLEST_STACK)
		return ERROR_MEMORY;
	t->alt_flags = stack->flags;
	t->alt_start = mode == STACK_DISABLED ? 0 : stack->start;
	t->alt_bytes = mode == STACK_DISABLED ? 0 : stack->bytes;
	return 0;
}

/* The kernel's is the engine's; the guest's is kept for frames. */
int64_t signal_alternate(struct thread *t)
{
	struct stack stack, old = { .start = t->alt_start,
				    .flags = t->alt_flags & STACK_LEAVES,
				    .bytes = t->alt_bytes };
	int64_t result;

	if (!t->alt_bytes)
		old.flags |= STACK_DISABLED;
	else if (frame_is_on_alternate(t))
		old.flags |= STACK_ON;
	if (t->reg[RDI]) {
		if (guest_copy(&stack, (void *)t->reg[RDI], sizeof(stack)))
			return ERROR_FAULT;
		result = set_alternate(t, &stack);
		if (result)
			return result;
	}
	if (t->reg[RSI] && guest_copy((void *)t->reg[RSI], &old, sizeof(old)))
		return ERROR_FAULT;
	return 0;
}

/*
 * The kernel's own call, from the guest's frame, changed so that it goes on in
 * the engine and leaves the engine's alternate stack.
 */
void signal_sigreturn(struct thread *t)
{
	void *frame = (void *)t->reg[RSP];
	struct context c;

	signal_block_all();
	if (t->pending)
		return;
	if (guest_copy(&c, frame, sizeof(c)))
		process_die(t, SIG_SEGV);
	pause_sigreturn(t);
	t->segv_blocked = c.mask & SEGV_BIT;
	t->resume = c.reg[CONTEXT_RIP];
	set_alternate(t, &(struct stack){ .start = c.stack_start,
					  .flags = c.stack_flags,
					  .bytes = c.stack_bytes });
	c.mask &= ~SEGV_BIT;
	c.reg[CONTEXT_RIP] = (uint64_t)resume_entry;
	c.stack_start = t->handler_stack;
	c.stack_flags = 0;
	c.stack_bytes = HANDLER_STACK;
	if (guest_copy(frame, &c, sizeof(c)))
		process_die(t, SIG_SEGV);
	signal_return(frame);
}
