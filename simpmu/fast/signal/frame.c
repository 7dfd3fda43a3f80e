/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal frames; see frame.h. */
#include "simpmu/fast/signal/frame.h"

#include "simpmu/fast/signal/signal.h"
#include "simpmu/fast/sys.h"
#include "simpmu/fast/thread.h"

#define RED_ZONE       128
#define XSAVE_WORDS    464 /* where the kernel describes what it saved */
#define XSAVE_MAGIC    0x46505853u
#define FXSAVE_BYTES   512
#define SEGV_BIT       (UINT64_C(1) << 10)
#define FLAG_TF        0x100u
#define FLAG_DF        0x400u
#define ACTION_ONSTACK 0x08000000u
#define ACTION_NODEFER 0x40000000u
#define ACTION_ONCE    0x80000000u

/* Where our register i is among the kernel's. */
static const uint8_t places[16] = { 13, 14, 12, 11, 15, 10, 9, 8,
				    0,  1,  2,  3,  4,  5,  6, 7 };

unsigned frame_register(unsigned i)
{
	return places[i];
}

void frame_take_registers(struct thread *t, const struct context *c)
{
	for (unsigned i = 0; i < 16; i++)
		t->reg[i] = c->reg[places[i]];
	t->flags = c->reg[CONTEXT_FLAGS] & ~(uint64_t)FLAG_TF;
}

static uint64_t fpstate_bytes(const struct context *c)
{
	const uint32_t *words = (const uint32_t *)(c->fpstate + XSAVE_WORDS);

	if (!c->fpstate)
		return 0;
	return words[0] == XSAVE_MAGIC ? words[1] : FXSAVE_BYTES;
}

/* As the kernel has it: stacks grow down. */
static bool is_in_alternate(const struct thread *t, uint64_t sp)
{
	return sp - t->alt_start - 1 < t->alt_bytes;
}

bool frame_is_on_alternate(const struct thread *t)
{
	return !(t->alt_flags & STACK_LEAVES) &&
	       is_in_alternate(t, t->reg[RSP]);
}

/* What the guest's frame says of its state before. */
static void fill(const struct thread *t, struct context *g, uint64_t mask,
		 uint64_t fpstate)
{
	for (unsigned i = 0; i < 16; i++)
		g->reg[places[i]] = t->reg[i];
	g->reg[CONTEXT_RIP] = t->pc;
	g->reg[CONTEXT_FLAGS] = t->flags & ~(uint64_t)FLAG_TF;
	g->fpstate = fpstate;
	g->mask = (mask & ~SEGV_BIT) | t->segv_blocked;
	g->stack_start = t->alt_start;
	g->stack_bytes = t->alt_bytes;
	g->stack_flags = t->alt_flags;
}

static void enter_handler(struct thread *t, int sig, struct context *c,
			  uint64_t mask)
{
	struct action *action = &t->actions[sig];
	uint64_t blocked = mask | action->mask;

	if (!(action->flags & ACTION_NODEFER))
		blocked |= UINT64_C(1) << (sig - 1);
	t->flags &= ~(uint64_t)(FLAG_TF | FLAG_DF);
	t->pc = action->handler;
	t->segv_blocked = blocked & SEGV_BIT;
	c->mask = blocked & ~SEGV_BIT;
	if (action->flags & ACTION_ONCE) {
		action->handler = 0;
		signal_tell_kernel((unsigned)sig, action);
	}
	if (t->alt_flags & STACK_LEAVES) {
		t->alt_start = t->alt_bytes = 0;
		t->alt_flags = STACK_DISABLED;
	}
}

/* Where the frame ends; *@is_alternate: it has to stay on that stack. */
static uint64_t frame_end(const struct thread *t, int sig, bool *is_alternate)
{
	*is_alternate = frame_is_on_alternate(t);
	if (!(t->actions[sig].flags & ACTION_ONSTACK) || !t->alt_bytes ||
	    *is_alternate)
		return t->reg[RSP] - RED_ZONE;
	*is_alternate = true;
	return t->alt_start + t->alt_bytes;
}

bool frame_make(struct thread *t, int sig, const uint8_t *info,
		struct context *c, uint64_t mask)
{
	struct context g = *c;
	bool is_alternate;
	uint64_t bytes = fpstate_bytes(c), fp, at, at_info;
	uint64_t sp = frame_end(t, sig, &is_alternate);

	fp = (sp - bytes) & ~UINT64_C(63);
	sp = (fp - (8 + sizeof(g) + INFO_BYTES)) & ~UINT64_C(15);
	sp -= 8;
	at = sp + 8;
	at_info = at + sizeof(g);
	if (is_alternate && !is_in_alternate(t, sp))
		return false;
	fill(t, &g, mask, bytes ? fp : 0);
	if (guest_copy((void *)sp, &t->actions[sig].restorer, 8) ||
	    guest_copy((void *)at, &g, sizeof(g)) ||
	    guest_copy((void *)at_info, info, INFO_BYTES) ||
	    (bytes && guest_copy((void *)fp, (void *)c->fpstate, bytes)))
		return false;
	t->reg[RDI] = (uint64_t)sig;
	t->reg[RSI] = at_info;
	t->reg[RDX] = at;
	t->reg[RAX] = 0;
	t->reg[RSP] = sp;
	enter_handler(t, sig, c, mask | t->segv_blocked);
	return true;
}
